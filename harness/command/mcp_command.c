/*
 * Runs `mcp`: a server of the Model Context Protocol on stdin and stdout, a message of JSON-RPC 2.0
 * in each line. A call of a tool starts this program again with the words of a command line, never
 * through a shell, and files are taken from the folder alone in which the server was started.
 * Calls run one after the other, because they measure; meanwhile messages are read. At the end of
 * the input those that are left are answered, unless nobody reads the answers. SQLite parses the
 * JSON.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "base/message.h"
#include "base/process.h"
#include "catalog/thresholds.h"
#include "command/command.h"
#include "command/mcp_answers.h"
#include "command/mcp_tools.h"
#include "command/skill.md.h"
#include "version.h"

enum { LINE_MOST = 1 << 20, SHORT_ANSWER = MCP_ANSWER_KB << 10, TICK_MS = 50, GRACE_S = 10 };
enum { PARSE_ERROR = -32700, BAD_REQUEST = -32600, NO_METHOD = -32601, BAD_PARAMETERS = -32602 };

struct call {
    struct call *next;
    char *id, *token; /* JSON; the token is that of its progress, or NULL */
    struct mcp_words words;
    struct process child;
    double began, told, cancelled; /* seconds_now, or 0 */
};

struct server {
    sqlite3 *json;      /* for its functions */
    struct call *first; /* is running if it has a child; the others wait */
    struct text input;
    int is_skipping; /* the rest of a line that is too long */
    char root[PATH_MAX], self[PROCESS_PATH];
};

/* ---- messages to the client ------------------------------------------------------------------ */

struct message {
    struct json_writer writer;
    char *text;
    size_t length;
};

/* Begins a message; `id` is JSON, or NULL for a notification. */
static int begin(struct message *message, const char *id)
{
    *message = (struct message){0};
    message->writer.file = open_memstream(&message->text, &message->length);
    if (!message->writer.file) return error_memory();
    json_open(&message->writer, NULL, '{');
    json_text(&message->writer, "jsonrpc", "2.0");
    if (id) json_value(&message->writer, "id", id);
    return 0;
}

/* Ends a message; line feeds between its values become blanks. */
static int end(struct message *message)
{
    json_close(&message->writer, '}');
    const int failed = fclose(message->writer.file);
    for (size_t i = 0; i < message->length && !failed; i++)
        if (message->text[i] == '\n') message->text[i] = ' ';
    if (!failed) printf("%s\n", message->text);
    free(message->text);
    return failed           ? error_memory()
           : fflush(stdout) ? error(FAIL_OUTPUT, "cannot write to stdout")
                            : 0;
}

static int answer_error(const char *id, int code, const char *words)
{
    struct message message;
    if (begin(&message, id ? id : "null")) return FAIL_OUTPUT;
    json_open(&message.writer, "error", '{');
    json_number(&message.writer, "code", code);
    json_text(&message.writer, "message", words);
    json_close(&message.writer, '}');
    return end(&message);
}

static int answer_text(const char *id, const char *words, int is_error)
{
    struct message message;
    if (begin(&message, id)) return FAIL_OUTPUT;
    json_open(&message.writer, "result", '{');
    json_open(&message.writer, "content", '[');
    json_open(&message.writer, NULL, '{');
    json_text(&message.writer, "type", "text");
    json_text(&message.writer, "text", words);
    json_close(&message.writer, '}');
    json_close(&message.writer, ']');
    json_flag(&message.writer, "isError", is_error);
    json_close(&message.writer, '}');
    return end(&message);
}

static int answer_initialize(const struct server *server, const char *id, const char *version)
{
    static const char known[] = "2024-11-05 2025-03-26 2025-06-18";
    struct text words = {0};
    struct message message;
    if (begin(&message, id)) return FAIL_OUTPUT;
    text_format(&words, "Files and programs are taken from %s/ alone, and no shell is used.\n\n%s",
                server->root, skill_text);
    json_open(&message.writer, "result", '{');
    json_text(&message.writer, "protocolVersion",
              version && strlen(version) == 10 && strstr(known, version) ? version : "2025-06-18");
    json_value(&message.writer, "capabilities", "{\"tools\":{}}");
    json_open(&message.writer, "serverInfo", '{');
    json_text(&message.writer, "name", "whyfast");
    json_text(&message.writer, "version", WHYFAST_VERSION);
    json_close(&message.writer, '}');
    json_text(&message.writer, "instructions", text_string(&words));
    json_close(&message.writer, '}');
    text_free(&words);
    return end(&message);
}

static int answer_tools(const char *id)
{
    struct message message;
    if (begin(&message, id)) return FAIL_OUTPUT;
    json_open(&message.writer, "result", '{');
    json_open(&message.writer, "tools", '[');
    mcp_tools_write(&message.writer);
    json_close(&message.writer, ']');
    json_close(&message.writer, '}');
    return end(&message);
}

static int answer_nothing(const char *id)
{
    struct message message;
    if (begin(&message, id)) return FAIL_OUTPUT;
    json_value(&message.writer, "result", "{}");
    return end(&message);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void call_free(struct call *call)
{
    free(call->id);
    free(call->token);
    mcp_words_free(&call->words);
    process_free(&call->child);
    free(call);
}

static void drop_first(struct server *server)
{
    struct call *call = server->first;
    server->first = call->next;
    call_free(call);
}

/* Answers a call whose program has ended. What `run` has to say is on stderr, below what the
 * program says there. */
static int finish(struct server *server)
{
    struct call *call = server->first;
    const int status = process_status(call->child.status);
    const int is_run = !strcmp(call->words.word[1], "run"),
              is_error = status != 0 && status != 1 && status != -FAIL_NO_EVIDENCE &&
                         status != -FAIL_COMPARE;
    char *output = process_read(call->child.output), *errors = process_read(call->child.errors);
    struct text answer = {0};
    int result = 0;
    if (status) text_format(&answer, "exit code %d\n", status);
    const size_t most = call->words.is_detailed ? SIZE_MAX : SHORT_ANSWER - 192,
                 for_errors = call->words.is_detailed ? SIZE_MAX
                              : is_run || is_error    ? 3 * most / 4
                                                      : most / 4;
    const size_t told = errors ? strlen(errors) : 0, taken = told < for_errors ? told : for_errors;
    if (output && !strcmp(call->words.word[1], "lines") && !call->words.is_detailed)
        mcp_append_lines(&answer, output, most - taken);
    else if (output && !is_run)
        mcp_append_short(&answer, output, most - taken, 0);
    if (errors) mcp_append_messages(&answer, errors, for_errors);
    if (output && is_run) mcp_append_short(&answer, output, most - taken, 1);
    if (!output || !errors || answer.failed)
        result = error_memory();
    else if (!call->cancelled)
        result = answer_text(call->id, text_string(&answer), is_error);
    free(output);
    free(errors);
    text_free(&answer);
    drop_first(server);
    return result;
}

/* Tells the client every second that the call goes on, and with which line of stderr. */
static int tell_progress(struct call *call)
{
    const double now = seconds_now();
    char last[REASON_BYTES];
    struct message message;
    if (!call->token || call->cancelled || now - call->told < 1) return 0;
    call->told = now;
    if (begin(&message, NULL)) return FAIL_OUTPUT;
    call->child.status = 0;
    process_reason(&call->child, last, sizeof last);
    json_text(&message.writer, "method", "notifications/progress");
    json_open(&message.writer, "params", '{');
    json_value(&message.writer, "progressToken", call->token);
    json_number(&message.writer, "progress", (double)(long)(now - call->began));
    if (strncmp(last, "the process ", 12)) json_text(&message.writer, "message", last);
    json_close(&message.writer, '}');
    return end(&message);
}

/* Asks a program and its children once to end, which lets them clean up. */
static void stop(struct call *call)
{
    if (!call->cancelled) kill(-call->child.pid, SIGTERM);
    if (!call->cancelled) call->cancelled = seconds_now();
}

/* Returns 1 if its program has ended. One that was asked to ends by force after a while, and so
 * does what it left running. */
static int has_ended(struct call *call)
{
    const pid_t pid = call->child.pid;
    const int ended = waitpid(pid, &call->child.status, WNOHANG) == pid,
              is_late = seconds_now() - call->cancelled > GRACE_S;
    if (call->cancelled && (ended || is_late)) kill(-pid, SIGKILL);
    return ended;
}

static int start(struct server *server)
{
    struct call *call = server->first;
    struct text reason = {0}, *kept = message_keep(&reason);
    int result = process_start(&call->child, call->words.word, PROCESS_GROUP);
    message_keep(kept);
    call->began = call->told = seconds_now();
    if (result) {
        result = answer_text(call->id, text_string(&reason), 1);
        drop_first(server);
    }
    text_free(&reason);
    return result;
}

static int work(struct server *server)
{
    struct call *call = server->first;
    if (!call) return 0;
    if (!call->began) return start(server);
    return has_ended(call) ? finish(server) : tell_progress(call);
}

/* Forgets a call that waits, or stops the one that is running. */
static void cancel(struct server *server, const char *id)
{
    for (struct call **at = &server->first; *at; at = &(*at)->next) {
        struct call *call = *at;
        if (strcmp(call->id, id)) continue;
        if (call->child.pid) {
            stop(call);
        } else {
            *at = call->next;
            call_free(call);
        }
        return;
    }
}

/* ---- messages from the client ---------------------------------------------------------------- */

/* A request or a notification. Of its members NULL is absent, or of a type that none may have; ID
 * and those behind it are JSON. */
enum member { METHOD, TOOL, VERSION, ID, TOKEN, CANCELLED, MEMBERS };
struct request {
    const char *line;
    char *member[MEMBERS];
    int count, has_id, bad_arguments;
};

/* Columns: the type of a member, its text, and as JSON. */
static int take_member(void *context, const char *const *column)
{
    struct request *request = context;
    const char *type = column[0];
    const int member = request->count++, is_text = type && !strcmp(type, "text");
    if (member == ID) request->has_id = type != NULL;
    if (member == MEMBERS) request->bad_arguments = type && strcmp(type, "object");
    if (member == MEMBERS || !(is_text || (type && member >= ID && !strcmp(type, "integer"))))
        return 0;
    request->member[member] = strdup(column[member < ID ? 1 : 2]);
    return request->member[member] ? 0 : error_memory();
}

static int call_tool(struct server *server, struct request *request)
{
    struct text reason = {0};
    struct call *call = calloc(1, sizeof *call), **last = &server->first;
    if (!call) return error_memory();
    struct text *kept = message_keep(&reason);
    int result = mcp_words_add(&call->words, server->self);
    if (!result)
        result = mcp_words_of(&call->words, server->json, server->root, request->member[TOOL],
                              request->line);
    message_keep(kept);
    if (result) {
        result = answer_text(request->member[ID], text_string(&reason), 1);
        call_free(call);
    } else {
        call->id = request->member[ID];
        call->token = request->member[TOKEN];
        request->member[ID] = request->member[TOKEN] = NULL;
        while (*last) last = &(*last)->next;
        *last = call;
    }
    text_free(&reason);
    return result;
}

static int answer(struct server *server, struct request *request)
{
    const char *method = request->member[METHOD], *id = request->member[ID],
               *tool = request->member[TOOL];
    if (!method || request->has_id != (id != NULL))
        return answer_error(NULL, BAD_REQUEST, "this is no request");
    if (!id) {
        if (!strcmp(method, "notifications/cancelled") && request->member[CANCELLED])
            cancel(server, request->member[CANCELLED]);
        return 0;
    }
    if (!strcmp(method, "initialize"))
        return answer_initialize(server, id, request->member[VERSION]);
    if (!strcmp(method, "ping")) return answer_nothing(id);
    if (!strcmp(method, "tools/list")) return answer_tools(id);
    if (strcmp(method, "tools/call")) return answer_error(id, NO_METHOD, "there is no such method");
    if (!tool || !mcp_tool_is(tool))
        return answer_error(id, BAD_PARAMETERS, "there is no such tool");
    if (request->bad_arguments)
        return answer_error(id, BAD_PARAMETERS, "the arguments are no object");
    return call_tool(server, request);
}

static int note_valid(void *context, const char *const *column)
{
    *(int *)context = *column[0] == '1';
    return 0;
}

static int take_line(struct server *server, const char *line)
{
    static const char sql[] =
        "SELECT json_type(?1, column1), json_extract(?1, column1), ?1 -> column1 FROM (VALUES "
        "('$.method'), ('$.params.name'), ('$.params.protocolVersion'), ('$.id'), "
        "('$.params._meta.progressToken'), ('$.params.requestId'), ('$.params.arguments'))";
    struct request request = {.line = line};
    int is_valid = 0;
    if (!line[strspn(line, " \t\r")]) return 0;
    int result = mcp_json(server->json, "SELECT json_valid(?1)", line, note_valid, &is_valid);
    if (!result && !is_valid) return answer_error(NULL, PARSE_ERROR, "this is no JSON");
    if (!result) result = mcp_json(server->json, sql, line, take_member, &request);
    if (!result) result = answer(server, &request);
    for (int i = 0; i < MEMBERS; i++) free(request.member[i]);
    return result;
}

/* Takes the lines that have arrived. A line with a NUL is no JSON. */
static int take_lines(struct server *server)
{
    struct text *input = &server->input;
    size_t from = 0;
    int result = input->failed ? error_memory() : 0;
    for (char *end; !result && from < input->length; from = (size_t)(end + 1 - input->data)) {
        end = memchr(input->data + from, '\n', input->length - from);
        if (!end) break;
        *end = 0;
        if (!server->is_skipping &&
            strlen(input->data + from) == (size_t)(end - input->data) - from)
            result = take_line(server, input->data + from);
        else if (!server->is_skipping)
            result = answer_error(NULL, PARSE_ERROR, "this is no JSON");
        server->is_skipping = 0;
    }
    if (!input->length) return result;
    memmove(input->data, input->data + from, input->length - from + 1);
    input->length -= from;
    if (input->length <= LINE_MOST || result) return result;
    input->length = 0;
    if (!server->is_skipping)
        result = answer_error(NULL, BAD_REQUEST, "a message is longer than a megabyte");
    server->is_skipping = 1;
    return result;
}

/* Works, and reads what has arrived. The end of the input, which sets *is_open to 0, ends the last
 * line, too. */
static int serve(struct server *server, int *is_open)
{
    static char bytes[65536];
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int result = work(server);
    if (result || poll(&input, 1, server->first ? TICK_MS : -1) <= 0) return result;
    const ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) return 0;
    *is_open = count > 0;
    if (count > 0) text_append_bytes(&server->input, bytes, (size_t)count);
    if (count <= 0 && server->input.length) text_append(&server->input, "\n");
    return take_lines(server);
}

/* Works after the end of the input. Returns 1 if nothing is left, or nobody to answer. */
static int serve_rest(struct server *server, int *result)
{
    struct pollfd output = {.fd = STDOUT_FILENO};
    if (!server->first || interrupted() || poll(&output, 1, TICK_MS) > 0) return 1;
    *result = work(server);
    return *result != 0;
}

int mcp_command(const struct arguments *arguments)
{
    struct server *server = calloc(1, sizeof *server);
    (void)arguments;
    if (!server) return error_memory();
    setenv("WHYFAST_ASCII", "1", 0); /* fewer bytes */
    signal(SIGPIPE, SIG_IGN);        /* a client that has gone is a failure to write */
    const int self = process_self(server->self);
    int is_open = 1, result = self >= 0 ? 0 : FAIL_OUTPUT;
    if (!result && sqlite3_open(":memory:", &server->json) != SQLITE_OK) result = error_memory();
    if (!result && !getcwd(server->root, sizeof server->root))
        result = error(FAIL_INPUT, "the folder is unknown: %s", strerror(errno));
    if (!result && !strcmp(server->root, "/")) *server->root = 0;
    while (!result && is_open && !interrupted()) result = serve(server, &is_open);
    while (!result && !serve_rest(server, &result)) {
    }
    while (server->first) {
        if (server->first->child.pid) {
            stop(server->first);
            while (!has_ended(server->first)) poll(NULL, 0, TICK_MS);
        }
        drop_first(server);
    }
    sqlite3_close(server->json);
    text_free(&server->input);
    if (self >= 0) close(self);
    free(server);
    return result;
}
