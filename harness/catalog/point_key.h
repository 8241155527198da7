/*
 * Names one point: the five columns that open every table about points. Nothing is owned.
 */
#ifndef WHYFAST_POINT_KEY_H
#define WHYFAST_POINT_KEY_H

struct point_key {
    const char *family, *variant, *size;
    int block, sweep; /* 0: the variant has no such setting */
};

enum { POINT_KEY_COLUMNS = 5 };

/* The columns as a statement lists them. */
#define POINT_KEY_SQL "family, variant, size, block, sweep"

/* The columns as initialisers: TEXT and NUMBER are macros of a column's name. */
#define POINT_KEY_LIST(TEXT, NUMBER)                                                               \
    TEXT("family"), TEXT("variant"), TEXT("size"), NUMBER("block"), NUMBER("sweep")

#endif
