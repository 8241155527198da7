#include "machine_code/kernel_label.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/names.h"
#include "base/text.h"

/* A part of a name. */
struct piece {
    const char *at, *end;
};

/* "a::name<args>::operator()<args>(...) const::{lambda(types)#1}*". */
struct node {
    struct piece name, args[2], types;
    int args_count;
};

/* A text that is being written into zeroed room; what does not fit is counted. */
struct label {
    char *text;
    size_t room, length;
};

enum { MOST_DEPTH = 64, MOST_INSIDE = 12, MOST_ARGS = 64, MOST_WHOLE = 4096 };

/* ---- reading --------------------------------------------------------------------------------- */

static int begins(struct piece piece, const char *with)
{
    const size_t length = strlen(with);
    return (size_t)(piece.end - piece.at) >= length && !memcmp(piece.at, with, length);
}

/* Returns 1 for one of the words, each of which stands between spaces. */
static int is_one_of(struct piece piece, const char *words)
{
    const size_t length = (size_t)(piece.end - piece.at);
    for (const char *at = words; length && (at = strchr(at, ' ')); at++)
        if (!strncmp(at + 1, piece.at, length) && at[length + 1] == ' ') return 1;
    return 0;
}

static int is_opening(char byte)
{
    return byte == '<' || byte == '(' || byte == '[' || byte == '{';
}

/* Returns the end of the brackets that begin here. Only within '<' is '>' a bracket. */
static const char *past_brackets(const char *at, const char *end)
{
    char open[MOST_DEPTH];
    int depth = 0;
    for (; at < end; at++) {
        if (is_opening(*at)) {
            if (depth == MOST_DEPTH) return end;
            open[depth++] = *at;
        } else if (*at == '>' && (open[depth - 1] != '<' || at[-1] == '-')) {
            continue; /* greater, or an arrow */
        } else if (*at == '>' || *at == ')' || *at == ']' || *at == '}') {
            while (*at != '>' && depth > 1 && open[depth - 1] == '<') depth--; /* less */
            if (!--depth) return at + 1;
        }
    }
    return end;
}

/* Returns where a character stands outside of brackets, or the end. */
static const char *find_outside(const char *at, const char *end, char byte)
{
    while (at < end && *at != byte) at = is_opening(*at) ? past_brackets(at, end) : at + 1;
    return at;
}

static struct piece trimmed(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '&')) at++;
    while (end > at && end[-1] == ' ') end--;
    return (struct piece){at, end};
}

/* Reads "(float)" of "{lambda(float)#1}", or "(float)#2"; the innermost lambda with types counts.
 */
static void read_lambda(struct node *node, struct piece part)
{
    static const char lambda[] = "{lambda(";
    if (!begins(part, lambda)) return;
    const char *at = part.at + strlen(lambda) - 1, *end = past_brackets(at, part.end);
    const int is_first = begins((struct piece){end, part.end}, "#1}");
    if (end - at > 2 && end < part.end)
        node->types = (struct piece){at, is_first ? end : part.end - 1};
}

/* Reads a part between "::". */
static void read_part(struct node *node, struct piece part)
{
    read_lambda(node, part);
    if (begins(part, "{") || begins(part, "(anonymous namespace)")) return;
    const int is_operator = begins(part, "operator()");
    const char *stop = part.at + (is_operator ? strlen("operator()") : 0);
    while (stop < part.end && *stop != '<' && *stop != '(') stop++;
    if (!is_operator) {
        *node = (struct node){.name = stop > part.at ? trimmed(part.at, stop) : part};
        if (stop == part.at) return;
    }
    if (stop == part.end || *stop != '<' || node->args_count == 2) return;
    const char *end = past_brackets(stop, part.end);
    node->args[node->args_count++] = (struct piece){stop + 1, end - (end[-1] == '>')};
}

static struct node read_node(struct piece piece)
{
    struct node node = {{piece.at, piece.at}, {{0}}, {NULL, NULL}, 0};
    for (const char *at = piece.at; at < piece.end;) {
        const int is_operator = begins((struct piece){at, piece.end}, "operator()");
        const char *from = at + (is_operator ? strlen("operator()") : 0);
        const char *end = find_outside(from, piece.end, ':');
        while (end < piece.end && end[1] != ':') end = find_outside(end + 1, piece.end, ':');
        read_part(&node, trimmed(at, end));
        at = end + 2;
    }
    return node;
}

/* Splits the template arguments of a node. Returns their number. */
static int read_args(const struct node *node, struct piece args[MOST_ARGS])
{
    int count = 0;
    for (int list = 0; list < node->args_count; list++)
        for (const char *at = node->args[list].at, *end; at < node->args[list].end; at = end + 1) {
            end = find_outside(at, node->args[list].end, ',');
            if (count < MOST_ARGS) args[count++] = trimmed(at, end);
        }
    return count;
}

/* ---- what an argument is --------------------------------------------------------------------- */

/* "(bool)1" is a value; "(anonymous namespace)::f" is not. */
static int is_value(struct piece arg)
{
    return arg.at == arg.end || isdigit((unsigned char)*arg.at) || *arg.at == '-' ||
           (*arg.at == '(' && !begins(arg, "(anonymous namespace)")) ||
           is_one_of(arg, " true false nullptr ");
}

static int is_number_type(struct piece arg)
{
    static const char words[] =
        " float double int long short char bool void signed unsigned __half"
        " __nv_bfloat16 Half wchar_t BFloat16 half_t __int128 complex float2"
        " float4 double2 int2 int4 uint4 __half2 bfloat16 half ";
    struct piece name = read_node(arg).name;
    const char *end = name.at;
    while (end < name.end && !strchr(" *&(", *end)) end++;
    return is_one_of((struct piece){name.at, end}, words);
}

/* Arguments of libraries that say how a kernel reads and writes, not what it computes. */
static int is_machinery(struct piece arg)
{
    static const char words[] =
        " array Array tuple integral_constant allocator TrivialOffsetCalculator"
        " OffsetCalculator LoadWithCast LoadWithoutCast StoreWithCast"
        " StoreWithoutCast OpaqueType device_ptr no_stencil_tag"
        " always_true_predicate NullType identity_decomposer_t __identity ";
    const struct piece name = read_node(arg).name;
    for (const char *at = name.at; name.end - at >= 5; at++)
        if (!memcmp(at, "olicy", 5)) return 1;
    return is_one_of(name, words);
}

static int is_object(struct piece arg)
{
    return !is_value(arg) && !is_number_type(arg) && !is_machinery(arg);
}

/* Returns the namespace or name that an argument begins with. */
static struct piece root_of(struct piece arg)
{
    const char *end = arg.at;
    while (end < arg.end && (isalnum((unsigned char)*end) || *end == '_')) end++;
    return (struct piece){arg.at, end};
}

/* Finds the first function object that is of none of the libraries. */
static int find_own(struct piece whole, int depth, struct piece *found)
{
    static const char libraries[] =
        " std thrust cub cuda at c10 torch cute cutlass cutlass_80 raft THRUST CUB"
        " __nv_dl_tag __gnu_cxx __nv_dl_wrapper_t __nv_hdl_wrapper_t ";
    struct piece args[MOST_ARGS];
    const struct node node = read_node(whole);
    const int count = depth < MOST_INSIDE ? read_args(&node, args) : 0;
    for (int i = 0; i < count; i++) {
        if (!is_object(args[i])) continue;
        *found = args[i];
        if (root_of(args[i]).at < root_of(args[i]).end && !is_one_of(root_of(args[i]), libraries))
            return 1;
        if (find_own(args[i], depth + 1, found)) return 1;
    }
    return 0;
}

/* Finds the function object of a kernel: one of the program's own, else that which is inside of all
 * the first ones. Returns 0 if there is none. */
static int find_object(struct piece whole, struct piece *object)
{
    struct piece args[MOST_ARGS];
    *object = whole;
    if (find_own(whole, 0, object)) return 1;
    *object = whole;
    for (int depth = 0, found = 1; found && depth < MOST_INSIDE; depth++) {
        const struct node node = read_node(*object);
        const int count = read_args(&node, args);
        int first = 0;
        while (first < count && !is_object(args[first])) first++;
        found = first < count;
        if (found) *object = args[first];
    }
    return object->at != whole.at;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put(struct label *label, char byte)
{
    if (label->length < label->room - 1) label->text[label->length] = byte;
    label->length++;
}

static void put_piece(struct label *label, struct piece piece)
{
    for (; piece.at < piece.end && label->length < label->room; piece.at++)
        put(label, isprint((unsigned char)*piece.at) ? *piece.at : '_');
}

/* Writes "3" for "3ul" and "1" for "(bool)1". */
static void put_value(struct label *label, struct piece value)
{
    if (value.at < value.end && *value.at == '(') {
        const char *end = past_brackets(value.at, value.end);
        if (end < value.end) value.at = end;
    }
    if (value.at < value.end && (isdigit((unsigned char)*value.at) || *value.at == '-'))
        while (value.end > value.at && strchr("ul", value.end[-1])) value.end--;
    put_piece(label, value);
}

/* A label leaves out nothing, or machinery, or also numbers and types, or all arguments. */
enum leaves { LEAVES_NOTHING, LEAVES_MACHINERY, LEAVES_PLAIN, LEAVES_ALL };

static void put_type(struct label *label, struct piece type, enum leaves leaves, int depth);

static void put_args(struct label *label, const struct piece *args, int count, enum leaves leaves,
                     int depth)
{
    const enum leaves inside = leaves == LEAVES_PLAIN ? LEAVES_MACHINERY : leaves;
    int written = 0;
    for (int i = 0; i < count && label->length < label->room; i++) {
        if (leaves == LEAVES_ALL || (leaves == LEAVES_PLAIN && !is_object(args[i])) ||
            (leaves == LEAVES_MACHINERY && is_machinery(args[i])))
            continue;
        put(label, written++ ? ',' : '<');
        if (is_value(args[i]))
            put_value(label, args[i]);
        else
            put_type(label, args[i], inside, depth + 1);
    }
    if (written) put(label, '>');
}

static void put_type(struct label *label, struct piece type, enum leaves leaves, int depth)
{
    struct piece args[MOST_ARGS];
    const struct node node = read_node(type);
    put_piece(label, node.name);
    if (depth < MOST_INSIDE) put_args(label, args, read_args(&node, args), leaves, depth);
    if (node.types.at && leaves != LEAVES_ALL) put_piece(label, node.types);
    for (const char *at = type.end; at > node.name.end && strchr("*&", at[-1]); at--)
        put(label, at[-1]);
}

/* ---- ways to write a name -------------------------------------------------------------------- */

enum way {
    WAY_WHOLE,       /* all but namespaces */
    WAY_COMPUTING,   /* without machinery */
    WAY_OBJECTS,     /* and without numbers and types */
    WAY_OBJECT,      /* the function and the innermost object */
    WAY_OBJECT_NAME, /* without its arguments */
    WAY_ONLY_OBJECT, /* the innermost object alone */
    WAY_ONLY_OBJECT_NAME,
    WAY_FUNCTION,
    WAY_COUNT
};

static struct piece whole_of(const char *name)
{
    return (struct piece){name, name + strlen(name)};
}

static struct label label_in(char *text, size_t room)
{
    memset(text, 0, room);
    return (struct label){text, room, 0};
}

/* Returns 1 if a name that is written in this way fits. */
static int write_way(char text[KERNEL_LABEL], const char *name, enum way way)
{
    static const enum leaves leaves[] = {LEAVES_NOTHING, LEAVES_MACHINERY, LEAVES_PLAIN};
    const struct piece whole = whole_of(name);
    struct piece object = whole;
    struct label label = label_in(text, KERNEL_LABEL);
    if (way <= WAY_OBJECTS) {
        put_type(&label, whole, leaves[way], 0);
    } else if (way == WAY_FUNCTION) {
        put_type(&label, whole, LEAVES_ALL, 0);
    } else {
        const int around = way == WAY_OBJECT || way == WAY_OBJECT_NAME;
        if (!find_object(whole, &object)) return 0;
        if (around) put_piece(&label, read_node(whole).name);
        if (around) put(&label, '<');
        put_type(&label, object,
                 way == WAY_OBJECT || way == WAY_ONLY_OBJECT ? LEAVES_MACHINERY : LEAVES_ALL, 0);
        if (around) put(&label, '>');
    }
    return label.length > 0 && label.length < KERNEL_LABEL;
}

/* ---- names of a run -------------------------------------------------------------------------- */

struct labelled {
    const char *name;
    int way, place;
    int is_done; /* there is no other way to write it */
    char text[KERNEL_LABEL], key[KERNEL_LABEL];
};

static int by_key(const void *a, const void *b)
{
    const struct labelled *first = a, *second = b;
    const int order = strcmp(first->key, second->key);
    return order ? order : strcmp(first->name, second->name);
}

/* Writes a name in the first way from this one on that fits. Returns 0 if there is none. */
static int write_next(struct labelled *name, int way)
{
    char text[KERNEL_LABEL];
    while (way < WAY_COUNT && !write_way(text, name->name, (enum way)way)) way++;
    if (way == WAY_COUNT) return 0;
    memcpy(name->text, text, sizeof text);
    name->way = way;
    names_key(name->text, name->key);
    return 1;
}

/* Writes all of a name but namespaces. */
static void write_whole(char text[MOST_WHOLE], const char *name)
{
    struct label label = label_in(text, MOST_WHOLE);
    put_type(&label, whole_of(name), LEAVES_NOTHING, 0);
    if (!label.length) put_piece(&label, whole_of(name));
}

/* Writes the head of a name that is too long, and what follows the `same` first bytes. */
static void write_cut(struct labelled *name, size_t same)
{
    enum { HEAD = 20, TAIL = KERNEL_LABEL - 1 - HEAD - 2, MOST_BACK = 12 };
    char whole[MOST_WHOLE];
    write_whole(whole, name->name);
    const size_t length = strlen(whole);
    size_t from = same < length ? same : length;
    while (from > HEAD && from + MOST_BACK > same && !strchr("_,<(", whole[from - 1])) from--;
    if (from + TAIL > length) from = length > TAIL ? length - TAIL : 0;
    if (length < KERNEL_LABEL)
        memcpy(name->text, whole, KERNEL_LABEL);
    else
        snprintf(name->text, KERNEL_LABEL, "%.*s..%.*s", HEAD, whole, TAIL, whole + from);
    names_key(name->text, name->key);
}

/* Returns how many bytes the names of a group have in common. */
static size_t same_bytes(const struct labelled *group, int count)
{
    char first[MOST_WHOLE], other[MOST_WHOLE];
    write_whole(first, group->name);
    size_t same = strlen(first);
    for (int i = 1; i < count; i++) {
        size_t here = 0;
        write_whole(other, group[i].name);
        while (here < same && first[here] == other[here]) here++;
        same = here;
    }
    return same;
}

/* Writes only those arguments that differ within a group of names, if that fits. */
static void write_different(struct labelled *name, const struct labelled *group, int count)
{
    struct piece args[MOST_ARGS], others[MOST_ARGS];
    const struct node node = read_node(whole_of(name->name));
    const int all = read_args(&node, args);
    int kept = 0;
    for (int i = 0; i < all; i++) {
        int differs = 0;
        for (int g = 0; g < count && !differs; g++) {
            const struct node other = read_node(whole_of(group[g].name));
            const long length = args[i].end - args[i].at;
            differs = read_args(&other, others) <= i || others[i].end - others[i].at != length ||
                      memcmp(others[i].at, args[i].at, (size_t)length) != 0;
        }
        if (differs) args[kept++] = args[i];
    }
    for (int leaves = LEAVES_NOTHING; leaves <= LEAVES_MACHINERY && kept; leaves++) {
        char text[KERNEL_LABEL];
        struct label label = label_in(text, sizeof text);
        put_piece(&label, node.name);
        put_args(&label, args, kept, (enum leaves)leaves, 0);
        if (label.length >= KERNEL_LABEL) continue;
        memcpy(name->text, text, sizeof text);
        names_key(name->text, name->key);
        return;
    }
}

/* Returns where the group ends that begins here: names with the same key. *is_one: they are all
 * the same. */
static int group_end(const struct labelled *names, int count, int begin, int *is_one)
{
    int end = begin + 1;
    *is_one = 1;
    for (; end < count && !strcmp(names[end].key, names[begin].key); end++)
        *is_one &= !strcmp(names[end].name, names[begin].name);
    return end;
}

/* Writes names that share a key in the next way. Returns 1 if any has one. */
static int write_apart(struct labelled *names, int count)
{
    int any = 0, is_one;
    qsort(names, (size_t)count, sizeof *names, by_key);
    for (int begin = 0, end; begin < count; begin = end) {
        end = group_end(names, count, begin, &is_one);
        for (int i = begin; i < end && !is_one; i++) {
            names[i].is_done = names[i].is_done || !write_next(&names[i], names[i].way + 1);
            any |= !names[i].is_done;
        }
    }
    return any;
}

/* Writes what differs within each group that no way tells apart: arguments, else a piece. */
static void write_groups(struct labelled *names, int count, int pieces)
{
    enum { MOST_COMPARED = 64 };
    int is_one;
    qsort(names, (size_t)count, sizeof *names, by_key);
    for (int begin = 0, end; begin < count; begin = end) {
        end = group_end(names, count, begin, &is_one);
        if (is_one || end - begin > MOST_COMPARED) continue;
        const size_t same = pieces ? same_bytes(&names[begin], end - begin) : 0;
        for (int i = begin; i < end; i++)
            if (pieces)
                write_cut(&names[i], same);
            else
                write_different(&names[i], &names[begin], end - begin);
    }
}

/* Writes a name anew in the first way that fits, or cut. */
static void write_first(struct labelled *name)
{
    name->is_done = !write_next(name, WAY_WHOLE);
    if (name->is_done) write_cut(name, MOST_WHOLE);
}

int kernel_labels_make(const char *const *name, int count, char (*labels)[KERNEL_LABEL])
{
    struct labelled *names = calloc((size_t)count + 1, sizeof *names);
    if (!names) return error_memory();
    for (int i = 0; i < count; i++) {
        names[i] = (struct labelled){.name = name[i], .way = WAY_COUNT, .place = i};
        write_first(&names[i]);
    }
    while (write_apart(names, count)) continue;
    for (int i = 0; i < count; i++)
        if (names[i].is_done) write_first(&names[i]);
    for (int pieces = 0; pieces < 2; pieces++) write_groups(names, count, pieces);
    for (int i = 0; i < count; i++) memcpy(labels[names[i].place], names[i].text, KERNEL_LABEL);
    free(names);
    return 0;
}
