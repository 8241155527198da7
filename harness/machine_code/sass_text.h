/*
 * Reads the text of one instruction of machine code (SASS): its operation, the registers that it
 * reads and writes, and where it jumps to. Nothing is owned; a struct sass borrows its text.
 *
 * The text does not name every register: a wide access names the first of several, an address of
 * 64 bits the lower half. The widths are taken from the operation's suffixes (".64", ".128",
 * ".WIDE"), and for products of matrices from their shape, as seen in the code of compute
 * capability 7.0 to 10.0. A register that is missed hides a dependence; none is invented where the
 * width is known.
 */
#ifndef WHYFAST_SASS_TEXT_H
#define WHYFAST_SASS_TEXT_H

enum { SASS_BYTES = 16 /* of an instruction */, SASS_RANGES = 12, SASS_OPERATION = 64 };

/* Registers have one numbering: R0 is 0, UR0 is 256, P0 is 512, UP0 is 528. The registers that
 * always read as zero or true (RZ, URZ, PT, UPT) are none. */
enum { SASS_R = 0, SASS_UR = 256, SASS_P = 512, SASS_UP = 528, SASS_END = 544 };

struct register_range {
    short first, count;
};

struct sass {
    const char *text;
    char operation[SASS_OPERATION]; /* "LDG.E.128"; without the predicate */
    int is_conditional;             /* executes only if its predicate, or an operand of a jump, says
                                       so */
    int is_never;                   /* @!PT: does nothing */
    long target;                    /* of a jump: bytes from the start of the kernel; -1 if none */
    int read_count, write_count;
    struct register_range read[SASS_RANGES], write[SASS_RANGES]; /* the predicate is read, too */
    unsigned address_reads; /* bit i: read[i] is part of an address */
    int guard;              /* the predicate: SASS_P or SASS_UP and its number; -1: none */
    int guard_is_negated;
};

/* Reads the text of an instruction, as in struct listing_instruction; NULL reads as nothing. */
struct sass sass_read(const char *text);

/* Returns 1 if the operation begins with these parts: "LDG" begins "LDG.E.64", but not "LDGSTS". */
int sass_is(const struct sass *sass, const char *parts);

/* Returns 1 if it begins with one of a list that ends with NULL. */
int sass_is_any(const struct sass *sass, const char *const *list);

/* Returns 1 if the operation has this part ("64" is a part of "LDC.64", not of "F2I.U64"). */
int sass_has(const struct sass *sass, const char *part);

/* Returns 1 for floating-point arithmetic and products of matrices, of any type. */
int sass_is_arithmetic(const struct sass *sass);

/* Returns 1 for flags and volatile accesses: another thread may wait for them. */
int sass_is_strong(const struct sass *sass);

/* Returns 1 for a load of a constant whose address has a register below `end`: a general one, which
 * can differ between lanes (SASS_UR), or also a uniform one (SASS_P). */
int sass_indexes_constant(const struct sass *sass, int end);

/* Returns 1 if two lists of registers have one in common that is below `end` (SASS_P: a general or
 * a uniform register; SASS_END: any). */
int sass_overlap(const struct register_range *one, int one_count,
                 const struct register_range *other, int other_count, int end);

#endif
