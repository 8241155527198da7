/*
 * Lists the tools of `mcp`, and turns a call of one into the words of a command line. Nothing is
 * owned.
 */
#ifndef WHYFAST_MCP_TOOLS_H
#define WHYFAST_MCP_TOOLS_H

#include <sqlite3.h>
#include <stddef.h>

#include "base/json.h"

/* Runs a statement whose ?1 is the text of a message and visits its rows, up to the first visit
 * that fails. The database is one without the guards of query/: these forbid json_each. */
enum { MCP_COLUMNS = 8 };
typedef int mcp_visitor(void *context, const char *const *column);
int mcp_json(sqlite3 *json, const char *sql, const char *line, mcp_visitor *visit, void *context);

/* Writes all tools with the schemas of their arguments, elements of an open array. */
void mcp_tools_write(struct json_writer *writer);

int mcp_tool_is(const char *name);

/* The words of a command line; a zeroed struct is empty. */
struct mcp_words {
    char **word; /* up to NULL */
    size_t count;
    int is_detailed;
};
void mcp_words_free(struct mcp_words *words);
int mcp_words_add(struct mcp_words *words, const char *word);

/* Adds the command of the tool and the arguments of the message `line`, a request that is valid
 * JSON. `root` is the folder that all files must be in. Returns FAIL_USAGE for arguments that the
 * tool does not have, that are of another type or lead out of the folder. */
int mcp_words_of(struct mcp_words *words, sqlite3 *json, const char *root, const char *tool,
                 const char *line);

#endif
