/*
 * Says from which share of the time on a busy unit limits a kernel.
 */
#ifndef WHYFAST_BUSY_LIMIT_H
#define WHYFAST_BUSY_LIMIT_H

#define BUSY_LIMIT_PCT 60

/* The value of a macro as text, for SQL. */
#define VALUE_QUOTED(x) #x
#define VALUE_TEXT(x) VALUE_QUOTED(x)

#endif
