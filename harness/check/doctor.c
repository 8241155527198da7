#include "check/doctor.h"

#include <stdarg.h>
#include <stdio.h>

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
} severities[] = {[CHECK_OK] = {"ok", STYLE_GOOD},
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

/* One line, so that it can be searched for. */
static void print_line(const char *name, const struct finding *finding,
                       const struct terminal *screen)
{
    struct text line = {0};
    int taken = terminal_append(&line, name, 16);
    terminal_blanks(&line, 17 - taken);
    terminal_style(&line, screen, severities[finding->severity].style);
    taken = terminal_append(&line, severities[finding->severity].word, 8);
    terminal_style(&line, screen, STYLE_PLAIN);
    terminal_blanks(&line, 9 - taken);
    terminal_append(&line, finding->detail, FINDING_BYTES);
    if (*finding->fix) text_append(&line, "; ");
    terminal_append(&line, finding->fix, FINDING_BYTES);
    puts(text_string(&line));
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

int doctor_run(const char *output, int csv)
{
    struct patient patient = {.output = output};
    const struct terminal screen = terminal_of_stdout();
    int bad = 0;
    find_device(&patient);
    if (csv) puts("check,status,detail,fix");
    for (int i = 0; i < CHECK_COUNT && !interrupted(); i++) {
        struct finding finding = {.severity = CHECK_SKIPPED};
        checks[i].ask(&patient, &finding);
        if (csv)
            print_row(checks[i].name, &finding);
        else
            print_line(checks[i].name, &finding, &screen);
        fflush(stdout);
        bad += finding.severity == CHECK_BAD;
    }
    nvml_close(&patient.nvml);
    doctor_gpu_close(&patient);
    if (interrupted()) return FAIL_INTERRUPTED;
    return bad ? error(FAIL_CHECK, "%d of %d checks are bad", bad, CHECK_COUNT) : 0;
}
