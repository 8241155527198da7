/*
 * Prints what completes command lines of whyfast in a shell, from the tables of commands and
 * options. Operands are completed by the names of variants, which `list` prints, and by files.
 */
#include <string.h>

#include "base/message.h"
#include "command_line/arguments.h"

/* Prints "family/variant" of all variants. */
#define LIST_VARIANTS "whyfast list --csv 2>/dev/null | tail -n +2 | cut -d, -f1,2 | tr , /"

static int takes_variants(const struct command *command)
{
    return strstr(command->operands, "VARIANT") || strstr(command->operands, "PATTERN") ||
           strstr(command->operands, "FAMILY");
}

/* Prints the first clause of the words for a string of the shell: the characters `marked` get a
 * backslash, and quotes are left out. */
static void print_clause(FILE *file, const char *words, const char *marked)
{
    size_t length = strcspn(words, ";:(");
    while (length && words[length - 1] == ' ') length--;
    for (size_t i = 0; i < length; i++) {
        if (strchr(marked, words[i])) fputc('\\', file);
        if (words[i] != '\'') fputc(words[i], file);
    }
}

/* Calls `print` for each option that the command takes, with its help. */
static void each_option(FILE *file, const struct command *command,
                        void (*print)(FILE *file, const struct command *command,
                                      const struct option *option, const char *help))
{
    for (int i = 0; i < option_count; i++) {
        struct text help = {0};
        if (!option_is_taken(command, &command_options[i])) continue;
        option_append_help(&help, command_options[i].help, command->name);
        print(file, command, &command_options[i], text_string(&help));
        text_free(&help);
    }
}

static int takes_path(const struct option *option)
{
    return option->argument &&
           (!strcmp(option->argument, "PATH") || !strcmp(option->argument, "FILE"));
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void print_for_bash(FILE *file, const struct command *command, const struct option *option,
                           const char *help)
{
    (void)command, (void)help;
    if (option->letter) fprintf(file, " -%c", option->letter);
    fprintf(file, " --%s", option->name);
}

static void print_bash(FILE *file)
{
    fputs("_whyfast() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} options= words=\n"
          "    local commands='",
          file);
    for (const struct command *command = commands; command->name; command++)
        fprintf(file, "%s%s", command == commands ? "" : " ", command->name);
    fputs("'\n    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W \"$commands\" -- \"$cur\"))\n"
          "        return\n"
          "    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          file);
    for (const struct command *command = commands; command->name; command++) {
        fprintf(file, "    %s)\n        options='", command->name);
        each_option(file, command, print_for_bash);
        fputs("'\n", file);
        if (!strcmp(command->name, "help")) fputs("        words=$commands\n", file);
        if (takes_variants(command))
            fputs("        case $cur in -*) ;; *) words=$(" LIST_VARIANTS ") ;; esac\n", file);
        fputs("        ;;\n", file);
    }
    fputs("    esac\n"
          "    case $cur in -*) words=$options ;; esac\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "}\n"
          "complete -o default -F _whyfast whyfast\n",
          file);
}

/* ---- zsh ------------------------------------------------------------------------------------- */

static void print_for_zsh(FILE *file, const struct command *command, const struct option *option,
                          const char *help)
{
    (void)command;
    for (int is_long = !option->letter; is_long < 2; is_long++) {
        fputs("            '", file);
        if (option->letter) fprintf(file, "(-%c --%s)", option->letter, option->name);
        if (is_long)
            fprintf(file, "--%s%s[", option->name, option->argument ? "=" : "");
        else
            fprintf(file, "-%c[", option->letter);
        print_clause(file, help, "[]:\\");
        fputc(']', file);
        if (option->argument) fputs(takes_path(option) ? ":path:_files" : ":value: ", file);
        fputs("'\n", file);
    }
}

static void print_zsh(FILE *file)
{
    fputs("#compdef whyfast\n_whyfast() {\n    local -a commands options variants\n"
          "    commands=(\n",
          file);
    for (const struct command *command = commands; command->name; command++) {
        fprintf(file, "        '%s:", command->name);
        print_clause(file, command->summary, ":\\");
        fputs("'\n", file);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
          "    case $words[2] in\n",
          file);
    for (const struct command *command = commands; command->name; command++) {
        fprintf(file, "    %s)\n        options=(\n", command->name);
        each_option(file, command, print_for_zsh);
        fputs("        )\n", file);
        if (!strcmp(command->name, "help")) fputs("        variants=(${commands%%:*})\n", file);
        if (takes_variants(command))
            fputs("        [[ $PREFIX == -* ]] || variants=(${(f)\"$(" LIST_VARIANTS ")\"})\n",
                  file);
        fputs("        ;;\n", file);
    }
    fputs("    esac\n    shift words\n    (( CURRENT-- ))\n"
          "    _arguments $options '*:operand:{ compadd -a variants; _files }'\n"
          "}\n"
          "if [ \"$funcstack[1]\" = _whyfast ]; then _whyfast; else compdef _whyfast whyfast; fi\n",
          file);
}

/* ---- fish ------------------------------------------------------------------------------------ */

static void print_for_fish(FILE *file, const struct command *command, const struct option *option,
                           const char *help)
{
    fprintf(file, "complete -c whyfast -n '__fish_seen_subcommand_from %s'", command->name);
    if (option->letter) fprintf(file, " -s %c", option->letter);
    fprintf(file, " -l %s%s -d '", option->name,
            takes_path(option) ? " -r -F"
            : option->argument ? " -x"
                               : "");
    print_clause(file, help, "\\");
    fputs("'\n", file);
}

static void print_fish(FILE *file)
{
    for (const struct command *command = commands; command->name; command++) {
        fprintf(file, "complete -c whyfast -n __fish_use_subcommand -f -a %s -d '", command->name);
        print_clause(file, command->summary, "\\");
        fputs("'\n", file);
        fprintf(file, "complete -c whyfast -n '__fish_seen_subcommand_from help' -f -a %s\n",
                command->name);
        each_option(file, command, print_for_fish);
        if (takes_variants(command))
            fprintf(file,
                    "complete -c whyfast -n '__fish_seen_subcommand_from %s' "
                    "-a \"(" LIST_VARIANTS ")\"\n",
                    command->name);
    }
}

/* ---------------------------------------------------------------------------------------------- */

int completion_print(const char *shell, FILE *file)
{
    if (!strcmp(shell, "bash"))
        print_bash(file);
    else if (!strcmp(shell, "zsh"))
        print_zsh(file);
    else if (!strcmp(shell, "fish"))
        print_fish(file);
    else
        return error(FAIL_USAGE, "--completion: expected bash, zsh or fish, found '%s'", shell);
    return 0;
}
