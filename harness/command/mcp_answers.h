/*
 * Shortens the answers of tools of `mcp` to a number of bytes, and says so in them. Nothing is
 * owned.
 */
#ifndef WHYFAST_MCP_ANSWERS_H
#define WHYFAST_MCP_ANSWERS_H

#include "base/text.h"

/* Shortens a text to whole lines, from its begin on or, if `keeps_end`, to its end. */
void mcp_append_short(struct text *answer, const char *words, size_t most, int keeps_end);

/* Shortens messages, one in each line, to their first sentences, and these to their ends. */
void mcp_append_messages(struct text *answer, const char *messages, size_t most);

/* Shortens the head of `lines` before its table. */
void mcp_append_lines(struct text *answer, const char *output, size_t most);

#endif
