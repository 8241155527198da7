#include "doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"

/* The checks of the GPU have no function here: whyfast-gpu passes them. */
#define ROW(name, function) {name, function},
#define ROW_OF_GPU(name, function) {name, NULL},
static const struct check {
    const char *name;
    doctor_check *ask;
} checks[] = {DOCTOR_CHECKS_OF_DEVICE(ROW) DOCTOR_CHECKS_OF_GPU(ROW_OF_GPU)
                  DOCTOR_CHECKS_OF_SYSTEM(ROW)};

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

static enum terminal_style style_of(const char *word)
{
    for (size_t i = 0; i < sizeof severities / sizeof *severities; i++)
        if (!strcmp(severities[i].word, word)) return severities[i].style;
    return STYLE_PLAIN;
}

static const struct print_column columns[] = {
    {.name = "check", .head = ""},
    {.name = "status", .head = "", .style = style_of},
    {.name = "finding", .head = "", .place = PRINT_PATHS, .is_shown_only = 1},
    {.name = "detail"},
    {.name = "fix"},
};

static void add_finding(struct print_table *table, const char *name, const struct finding *finding)
{
    char words[2 * FINDING_BYTES + 2];
    snprintf(words, sizeof words, "%s%s%s", finding->detail, *finding->fix ? "; " : "",
             finding->fix);
    print_table_text(table, name);
    print_table_text(table, severities[finding->severity].word);
    char *hints = program_hints(words);
    print_table_text(table, hints ? hints : words);
    free(hints);
    print_table_text(table, finding->detail);
    print_table_text(table, finding->fix);
}

static void find_device(struct patient *patient, const struct doctor_gpu *gpu)
{
    char bus_id[32] = "";
    if (gpu) gpu->open(patient, bus_id);
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

/* Checks that are skipped because there is no GPU, or no CUDA. On the screen they share a line. */
struct skipped {
    const char *name, *need;
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
    if (!*skipped->reason && is_for_want_of_gpu(finding) && finding->detail[6] == ' ')
        snprintf(skipped->reason, sizeof skipped->reason, "%s", finding->detail + 6);
}

static void add_all_skipped(struct print_table *table, struct skipped *skipped)
{
    struct finding finding;
    if (skipped->count) {
        finding_set(&finding, CHECK_SKIPPED, NULL, "%d check%s %s%s: %s", skipped->count,
                    skipped->count == 1 ? " needs" : "s need", skipped->need, skipped->reason,
                    text_string(&skipped->names));
        add_finding(table, skipped->name, &finding);
    }
    text_free(&skipped->names);
}

/* As wide as a terminal, or COLUMNS; lines of a file or a pipe are not wrapped, so that they can be
 * searched. */
static int print_findings(const struct print_table *table)
{
    struct terminal screen = terminal_of_stdout();
    struct text page = {0};
    const char *columns_asked = getenv("COLUMNS");
    if (!(columns_asked && *columns_asked) && !isatty(STDOUT_FILENO))
        screen.columns = 4 * FINDING_BYTES;
    print_table_append(&page, table, &screen);
    return page_print(stdout, &page, 0);
}

static int finish(struct print_table *table, enum print_form form, int bad, int count)
{
    const int result = form == PRINT_SCREEN ? print_findings(table)
                                            : print_table_print(table, form, "doctor/1", stdout);
    print_table_free(table);
    if (interrupted()) return FAIL_INTERRUPTED;
    if (result) return result;
    return bad ? error(FAIL_CHECK, "%d of %d checks %s bad", bad, count, bad == 1 ? "is" : "are")
               : 0;
}

int doctor_run(const char *output, enum print_form form, const struct doctor_gpu *gpu)
{
    struct patient patient = {.output = output};
    struct print_table table = {.name = "checks", PRINT_COLUMNS_OF(columns)};
    struct skipped skipped[] = {{.name = "no CUDA", .need = "CUDA, which this build lacks"},
                                {.name = "no GPU", .need = "a GPU"}};
    int bad = 0, of_gpu = 0;
    find_device(&patient, gpu);
    for (int i = 0; i < CHECK_COUNT && !interrupted(); i++) {
        struct finding finding = {.severity = CHECK_SKIPPED};
        if (checks[i].ask)
            checks[i].ask(&patient, &finding);
        else if (gpu)
            gpu->check[of_gpu++](&patient, &finding);
        else
            finding_skip(&finding, "this build has no CUDA and can only analyse runs");
        const int lacks_cuda = !checks[i].ask && !gpu;
        if (form == PRINT_SCREEN && (lacks_cuda || is_for_want_of_gpu(&finding)))
            add_skipped(&skipped[!lacks_cuda], checks[i].name, &finding);
        else
            add_finding(&table, checks[i].name, &finding);
        bad += finding.severity == CHECK_BAD;
    }
    for (int i = 0; i < 2; i++) add_all_skipped(&table, &skipped[i]);
    nvml_close(&patient.nvml);
    if (gpu) gpu->close(&patient);
    return finish(&table, form, bad, CHECK_COUNT);
}

int doctor_reports(const char *const *path, int paths, enum print_form form)
{
    struct print_table table = {.name = "checks", PRINT_COLUMNS_OF(columns)};
    int bad = 0, count = 0, result = 0;
    for (int i = 0; i < paths && !result; i++) {
        struct report_findings findings;
        result = report_findings_make(&findings, path[i]);
        for (int k = 0; k < findings.count && !result; k++) {
            add_finding(&table, findings.name[k], &findings.finding[k]);
            bad += findings.finding[k].severity == CHECK_BAD;
            count++;
        }
    }
    if (!result) return finish(&table, form, bad, count);
    print_table_free(&table);
    return result;
}
