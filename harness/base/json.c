#include "base/json.h"

#include <math.h>

#include "base/csv.h"
#include "base/text.h"

static void write_string(FILE *file, const char *string)
{
    putc('"', file);
    while (*string) {
        const char *start = string;
        const uint32_t character = text_character(&string);
        if (character == '"' || character == '\\')
            fprintf(file, "\\%c", (int)character);
        else if (character == TEXT_REPLACEMENT)
            fputs(TEXT_REPLACED, file);
        else if (text_is_harmful(character))
            fprintf(file, "\\u%04x", (unsigned)character);
        else
            fwrite(start, 1, (size_t)(string - start), file);
    }
    putc('"', file);
}

static void begin_value(struct json_writer *writer, const char *name)
{
    if (writer->has_member) fputs(name ? "," : ",\n", writer->file);
    if (name) write_string(writer->file, name);
    if (name) putc(':', writer->file);
    writer->has_member = 1;
}

void json_begin(struct json_writer *writer, FILE *file, const char *schema)
{
    *writer = (struct json_writer){.file = file};
    json_begin_member(writer, NULL, schema);
}

void json_begin_member(struct json_writer *writer, const char *name, const char *schema)
{
    begin_value(writer, name);
    fprintf(writer->file, "{\"schema\":\"whyfast.%s\"", schema);
}

void json_end(struct json_writer *writer)
{
    fputs("}\n", writer->file);
}

void json_open(struct json_writer *writer, const char *name, char bracket)
{
    begin_value(writer, name);
    putc(bracket, writer->file);
    writer->has_member = 0;
}

void json_close(struct json_writer *writer, char bracket)
{
    putc(bracket, writer->file);
    writer->has_member = 1;
}

void json_text(struct json_writer *writer, const char *name, const char *value)
{
    begin_value(writer, name);
    if (value)
        write_string(writer->file, value);
    else
        fputs("null", writer->file);
}

void json_number(struct json_writer *writer, const char *name, double value)
{
    char buffer[32];
    begin_value(writer, name);
    fputs(isfinite(value) ? csv_format_number(buffer, value) : "null", writer->file);
}

void json_flag(struct json_writer *writer, const char *name, int value)
{
    begin_value(writer, name);
    fputs(value ? "true" : "false", writer->file);
}

void json_value(struct json_writer *writer, const char *name, const char *json)
{
    begin_value(writer, name);
    text_write_json(writer->file, json ? json : "null");
}
