#include "check/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/message.h"
#include "base/terminal.h"

#define ROW(name, function) {name, function},
static const struct check {
    const char *name;
    doctor_check *ask;
} checks[] = {DOCTOR_CHECKS_OF_DEVICE(ROW) DOCTOR_CHECKS_OF_GPU(ROW) DOCTOR_CHECKS_OF_SYSTEM(ROW)};

enum { CHECK_COUNT = sizeof checks / sizeof *checks };

static const struct {
    const char *word;
    enum terminal_style style;
} severities[] = {[CHECK_OK] = {"ok", STYLE_PLAIN},
                  [CHECK_NOTE] = {"note", STYLE_WARM},
                  [CHECK_BAD] = {"bad", STYLE_HOT},
                  [CHECK_SKIPPED] = {"skipped", STYLE_FAINT}};

void finding_set(struct finding *finding, enum severity severity, const char *fix,
                 const char *format, ...)
{
    va_list arguments;
    finding->severity = severity;
    va_start(arguments, format);
    vsnprintf(finding->detail, sizeof finding->detail, format, arguments);
    va_end(arguments);
    snprintf(finding->fix, sizeof finding->fix, "%s", fix ? fix : "");
}

enum { NAME_WIDTH = 17, WORD_WIDTH = 9 };

/* Returns the screen, as wide as the longest word needs: a path is not cut. */
static struct terminal with_room(const struct terminal *screen, const char *words)
{
    struct terminal wide = *screen;
    for (; *words; words += strspn(words, " ")) {
        const int needed = NAME_WIDTH + WORD_WIDTH + (int)strcspn(words, " ");
        if (needed > wide.columns) wide.columns = needed;
        words += strcspn(words, " ");
    }
    return wide;
}

/* Prints a finding, wrapped between words: at the width of a terminal or COLUMNS, else as one line,
 * so that it can be searched for. */
static void print_line(const char *name, const struct finding *finding,
                       const struct terminal *screen)
{
    struct text line = {0}, label = {0}, words = {0};
    int taken = terminal_append(&label, name, NAME_WIDTH - 1);
    terminal_blanks(&label, NAME_WIDTH - taken);
    taken = terminal_append(&label, severities[finding->severity].word, WORD_WIDTH - 1);
    terminal_blanks(&label, WORD_WIDTH - taken);
    terminal_append(&words, finding->detail, FINDING_BYTES);
    if (*finding->fix) text_append(&words, "; ");
    terminal_append(&words, finding->fix, FINDING_BYTES);
    const struct terminal wide = with_room(screen, text_string(&words));
    terminal_paragraph(&line, &wide, severities[finding->severity].style, NAME_WIDTH + WORD_WIDTH,
                       text_string(&label), text_string(&words));
    fputs(text_string(&line), stdout);
    text_free(&words);
    text_free(&label);
    text_free(&line);
}

static void print_row(const char *name, const struct finding *finding)
{
    struct csv_writer writer = {.file = stdout};
    CSV_TEXTS(&writer, name, severities[finding->severity].word, finding->detail, finding->fix);
    csv_end(&writer);
}

static void find_device(struct patient *patient)
{
    char bus_id[32] = "";
    doctor_gpu_open(patient, bus_id);
    patient->nvml_status = nvml_open(&patient->nvml, patient->no_nvml);
    if (patient->nvml_status) {
        snprintf(patient->no_device, sizeof patient->no_device, "%s", patient->no_nvml);
        return;
    }
    *patient->no_nvml = 0;
    const struct nvml *nvml = &patient->nvml;
    const int status = *bus_id && nvml->by_bus_id ? nvml->by_bus_id(bus_id, &patient->device)
                       : nvml->by_index           ? nvml->by_index(0, &patient->device)
                                                  : -1;
    if (status) patient->device = NULL;
    if (status)
        snprintf(patient->no_device, sizeof patient->no_device, "the driver reports no GPU");
}

/* Checks that are skipped because there is no GPU. They share a line. */
struct skipped {
    struct text names;
    int count;
    char reason[FINDING_BYTES]; /* in parentheses, or "" */
};

static int is_for_want_of_gpu(const struct finding *finding)
{
    return finding->severity == CHECK_SKIPPED && !strncmp(finding->detail, "no GPU", 6);
}

static void add_skipped(struct skipped *skipped, const char *name, const struct finding *finding)
{
    text_format(&skipped->names, "%s%s", skipped->count++ ? ", " : "", name);
    if (!*skipped->reason && finding->detail[6] == ' ')
        snprintf(skipped->reason, sizeof skipped->reason, "%s", finding->detail + 6);
}

static void print_skipped(struct skipped *skipped, const struct terminal *screen)
{
    struct finding finding;
    if (skipped->count)
        finding_set(&finding, CHECK_SKIPPED, NULL, "%d check%s a GPU%s: %s", skipped->count,
                    skipped->count == 1 ? " needs" : "s need", skipped->reason,
                    text_string(&skipped->names));
    if (skipped->count) print_line("no GPU", &finding, screen);
    text_free(&skipped->names);
}

/* The width of a terminal, or of COLUMNS; lines of a file or a pipe are not wrapped. */
static struct terminal screen_of_findings(void)
{
    struct terminal screen = terminal_of_stdout();
    const char *columns = getenv("COLUMNS");
    if (!(columns && *columns) && !isatty(STDOUT_FILENO)) screen.columns = 4 * FINDING_BYTES;
    return screen;
}

int doctor_run(const char *output, int csv)
{
    struct patient patient = {.output = output};
    const struct terminal screen = screen_of_findings();
    struct skipped skipped = {.count = 0};
    int bad = 0;
    find_device(&patient);
    if (csv) puts("check,status,detail,fix");
    for (int i = 0; i < CHECK_COUNT && !interrupted(); i++) {
        struct finding finding = {.severity = CHECK_SKIPPED};
        checks[i].ask(&patient, &finding);
        if (csv)
            print_row(checks[i].name, &finding);
        else if (is_for_want_of_gpu(&finding))
            add_skipped(&skipped, checks[i].name, &finding);
        else
            print_line(checks[i].name, &finding, &screen);
        fflush(stdout);
        bad += finding.severity == CHECK_BAD;
    }
    print_skipped(&skipped, &screen);
    nvml_close(&patient.nvml);
    doctor_gpu_close(&patient);
    if (interrupted()) return FAIL_INTERRUPTED;
    return bad ? error(FAIL_CHECK, "%d of %d checks %s bad", bad, CHECK_COUNT,
                       bad == 1 ? "is" : "are")
               : 0;
}
