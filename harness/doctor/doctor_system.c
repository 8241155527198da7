/*
 * The checks of the system: who may read counters, other profilers, memory, directories to write
 * to, the programs that draw and disassemble, and the program's own data.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/process.h"
#include "base/text.h"
#include "catalog/registry.h"
#include "doctor/doctor.h"
#include "driver/other_profilers.h"
#include "catalog/verify.h"
#include "machine_code/disassembly.h"
#include "run/recorded_runs.h"

static const double mega = 1e6, giga = 1e9;
static const char driver_parameters[] = "/proc/driver/nvidia/params",
                  own_status[] = "/proc/self/status";

/* ---- permissions ----------------------------------------------------------------------------- */

static long driver_major(const struct patient *patient)
{
    char version[96] = "";
    if (patient->nvml.driver && patient->nvml.driver(version, sizeof version)) return 0;
    return strtol(version, NULL, 10);
}

DOCTOR_CHECK(check_permissions)
{
    uint64_t capabilities = 0;
    const int known = permissions_capabilities(own_status, &capabilities);
    const int admin_only = permissions_admin_only(driver_parameters);
    const char *container = permissions_container("");
    const char *fix =
        container ? "start the container with --cap-add=SYS_ADMIN, or allow all users on the host: "
                    "NVreg_RestrictProfilingToAdminUsers=0 for the nvidia module"
                  : "run as root, or have root set NVreg_RestrictProfilingToAdminUsers=0 for the "
                    "nvidia module";
    char who[96];
    snprintf(who, sizeof who, "uid %ld%s%s%s", (long)geteuid(),
             known ? "" : ", capabilities unknown", container ? ", in a container of " : "",
             container ? container : "");
    switch (permissions_judge(admin_only, capabilities, driver_major(patient))) {
    case PERMITTED_ALL: finding_ok(finding, "all users may read counters (%s)", who); break;
    case PERMITTED_ADMIN:
        if (admin_only < 0 && !patient->device)
            finding_skip(
                finding,
                "no GPU: the parameters of the driver are unknown (%s, with CAP_SYS_ADMIN)", who);
        else
            finding_ok(finding,
                       "this process may read counters as administrator (%s, with CAP_SYS_ADMIN)",
                       who);
        break;
    case PERMITTED_PERFMON:
        finding_ok(finding, "this process may read counters (%s, with CAP_PERFMON)", who);
        break;
    case PERMISSION_REFUSED:
        finding_set(finding, CHECK_BAD, fix,
                    "only administrators may read counters, and this process is not one (%s)", who);
        break;
    case PERMISSION_UNKNOWN:
        if (!patient->device)
            finding_skip(finding, "no GPU: the parameters of the driver are unknown (%s)", who);
        else
            finding_set(finding, CHECK_NOTE, fix, "%s does not say who may read counters (%s)",
                        driver_parameters, who);
        break;
    }
}

DOCTOR_CHECK(check_wsl)
{
    char *release = text_read_file("/proc/sys/kernel/osrelease", NULL);
    if (!release)
        finding_skip(finding, "the release of the kernel is unknown");
    else if (strcasestr(release, "microsoft"))
        finding_set(finding, CHECK_NOTE,
                    "allow it in the control panel of NVIDIA on Windows 11: developer settings, "
                    "GPU performance counters",
                    "this is WSL: counters need Windows to allow them");
    else
        finding_ok(finding, "not WSL");
    free(release);
}

/* ---- other profilers ------------------------------------------------------------------------- */

static void append_variable(struct text *words, const char *what, const char *variable)
{
    const char *value = getenv(variable);
    if (value && *value)
        text_format(words, "%s%s (%s=%s)", words->length ? ", " : "", what, variable, value);
}

static void append_tracer(struct text *words)
{
    long tracer = 0;
    char path[48];
    if (!permissions_number(own_status, "TracerPid", &tracer) || tracer == 0) return;
    snprintf(path, sizeof path, "/proc/%ld/comm", tracer);
    char *name = text_read_file(path, NULL);
    if (name) name[strcspn(name, "\n")] = 0;
    text_format(words, "%sthe debugger %s (process %ld)", words->length ? ", " : "",
                name ? name : "", tracer);
    free(name);
}

DOCTOR_CHECK(check_profilers)
{
    struct text words = {0};
    for (const struct other_profilers_tool *tool = other_profilers_next(NULL); tool;
         tool = other_profilers_next(tool))
        append_variable(&words, tool->name, tool->variable);
    append_variable(&words, "an NVTX tool", "NVTX_INJECTION64_PATH");
    append_variable(&words, "preloaded libraries", "LD_PRELOAD");
    append_tracer(&words);
    if (words.length)
        finding_set(finding, CHECK_NOTE, "run without them for clean times and counters",
                    "other tools are active in this process: %s", text_string(&words));
    else
        finding_ok(finding, "none in this process, according to its environment");
    text_free(&words);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The allocations of gpu/workbench.h for one problem. The workspace of a library and the buffers
 * that flush the L2 cache are small in comparison. */
static struct needed_memory needed_for(const struct family *family, const struct shape *shape)
{
    double input = 0;
    const double output = (double)family->output_bytes(shape),
                 scratch = (double)family_scratch_bytes(family, shape);
    for (int i = 0; i < family->input_count; i++) input += (double)family->input_bytes(shape, i);
    return (struct needed_memory){input + output + scratch,
                                  input + output + (double)reference_bytes(family, (size_t)output)};
}

struct needed_memory doctor_needed_memory(void)
{
    struct needed_memory most = {0};
    for (int f = 0; all_families()[f]; f++) {
        const struct family *family = all_families()[f];
        struct shape shape;
        for (int s = 0; family->sizes[s]; s++) {
            if (shape_parse(&shape, family->sizes[s], family->rank)) continue;
            const struct needed_memory one = needed_for(family, &shape);
            if (one.device > most.device) most.device = one.device;
            if (one.host > most.host) most.host = one.host;
        }
    }
    return most;
}

DOCTOR_CHECK(check_host_memory)
{
    const double needed = doctor_needed_memory().host;
    long available = 0;
    if (!permissions_number("/proc/meminfo", "MemAvailable", &available))
        finding_skip(finding, "the amount of free memory is unknown");
    else if (1024.0 * (double)available < needed)
        finding_set(finding, CHECK_NOTE, "measure smaller sizes (--size)",
                    "%.3g GB are free; the default sizes need %.3g GB",
                    1024.0 * (double)available / giga, needed / giga);
    else
        finding_ok(finding, "%.3g GB are free; the default sizes need %.3g GB",
                   1024.0 * (double)available / giga, needed / giga);
}

/* ---- places to write ------------------------------------------------------------------------- */

/* Cuts `path` to the nearest existing directory; the rest is made when a run is written. */
static void cut_to_existing(char *path)
{
    struct stat status;
    while (stat(path, &status) && errno == ENOENT) {
        char *slash = strrchr(path, '/');
        if (!slash)
            strcpy(path, ".");
        else
            slash[slash == path] = 0;
        if (!slash || slash == path) return;
    }
}

/* Writes a file in the directory and removes it. Returns 0 or errno. */
static int try_writing(const char *directory)
{
    static const char bytes[1 << 16];
    char *path = text_new("%s/whyfast-XXXXXX", directory);
    const int file = path ? mkostemp(path, O_CLOEXEC) : -1;
    int failure = file < 0 ? errno : 0;
    if (file >= 0) {
        const ssize_t written = write(file, bytes, sizeof bytes);
        if (written < 0)
            failure = errno;
        else if (written < (ssize_t)sizeof bytes || fsync(file))
            failure = written < (ssize_t)sizeof bytes ? ENOSPC : errno;
        close(file);
        unlink(path);
    }
    free(path);
    return failure;
}

/* `use` ends the words of a place that can be used. */
static void check_place(const char *wanted, double needed, const char *fix, const char *use,
                        struct finding *finding)
{
    struct statvfs room;
    char *absolute = realpath(wanted, NULL);
    const char *place = absolute ? absolute : wanted;
    const int failure = try_writing(place);
    const double available =
        statvfs(place, &room) ? -1 : (double)room.f_bavail * (double)room.f_frsize;
    if (failure)
        finding_set(finding, CHECK_BAD, fix, "%s cannot be written: %s", place, strerror(failure));
    else if (available < 0)
        finding_ok(finding, "%s can be written; its free space is unknown", place);
    else if (available < needed)
        finding_set(finding, CHECK_NOTE, fix, "%s has room for %.1f MB; %.0f MB are recommended",
                    place, available / mega, needed / mega);
    else
        finding_ok(finding, "%s can be written and has room for %.0f MB%s", place, available / mega,
                   use);
    free(absolute);
}

/* A run of all families with timeline, report and charts takes about 50 MB, and needs room beside
 * the one that it replaces. */
DOCTOR_CHECK(check_output)
{
    char *nearest = text_new("%s", patient->output);
    if (nearest) cut_to_existing(nearest);
    check_place(nearest ? nearest : patient->output, 100 * mega, "name another directory with -o",
                "; reports go to whyfast-report ('whyfast open')", finding);
    free(nearest);
}

/* For the output of probes, and cubins to disassemble. */
DOCTOR_CHECK(check_temporary)
{
    const char *place = getenv("TMPDIR");
    check_place(place && *place ? place : "/tmp", 50 * mega, "name another directory in TMPDIR", "",
                finding);
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Returns the first line that a program prints, which the caller frees; NULL if it fails. */
static char *first_line(char *const *command)
{
    struct process child;
    char *line = NULL;
    if (process_start(&child, command, PROCESS_OF_OURS)) return NULL;
    process_wait(&child, 1);
    if (process_succeeded(&child)) line = process_read(child.output);
    if (line) line[strcspn(line, "\n")] = 0;
    process_free(&child);
    return line;
}

/* The output of programs goes there. */
static int has_temporary_files(struct finding *finding)
{
    const int file = nameless_file();
    if (file < 0)
        finding_skip(finding, "needs temporary files");
    else
        close(file);
    return file >= 0;
}

static int has_terminal(char *terminal)
{
    char gnuplot[] = "gnuplot", execute[] = "-e";
    char *const command[] = {gnuplot, execute, terminal, NULL};
    char *line = first_line(command);
    free(line);
    return line != NULL;
}

DOCTOR_CHECK(check_gnuplot)
{
    char gnuplot[] = "gnuplot", ask[] = "--version", svg[] = "set terminal svg",
         png[] = "set terminal png";
    char *const command[] = {gnuplot, ask, NULL};
    char *place = process_find(gnuplot);
    if (place && !has_temporary_files(finding)) {
        free(place);
        return;
    }
    char *version = place ? first_line(command) : NULL;
    if (!place)
        finding_set(finding, CHECK_NOTE, "install gnuplot (the package gnuplot-nox is enough)",
                    "gnuplot is not on the PATH: reports have no charts");
    else if (!version)
        finding_set(finding, CHECK_BAD, "reinstall it", "%s does not work", place);
    else if (!has_terminal(svg))
        finding_set(finding, CHECK_BAD, "install another build of gnuplot",
                    "%s at %s cannot draw SVG", version, place);
    else if (!has_terminal(png))
        finding_set(finding, CHECK_BAD,
                    "install gnuplot with libgd (the package gnuplot-nox has it)",
                    "%s at %s cannot draw PNG", version, place);
    else
        finding_ok(finding, "%s at %s, draws SVG and PNG", version, place);
    free(version);
    free(place);
}

/* Reports where a program is, and frees `place`; else the state, the advice and the loss. */
static void report_tool(struct finding *finding, char *place, enum severity without,
                        const char *advice, const char *loss)
{
    if (place)
        finding_ok(finding, "%s", place);
    else
        finding_set(finding, without, advice, "%s", loss);
    free(place);
}

DOCTOR_CHECK(check_xz)
{
    char *place = process_find("xz");
    report_tool(finding, place ? place : process_find("python3"), CHECK_BAD,
                "install xz (its package may be called xz-utils)",
                "neither xz nor python3 is on the PATH: a recorded run cannot be unpacked");
}

DOCTOR_CHECK(check_disassembler)
{
    char *place = disassembler_find("nvdisasm");
    report_tool(finding, place ? place : disassembler_find("cuobjdump"), CHECK_NOTE,
                "put the bin directory of the CUDA toolkit on the PATH",
                "neither nvdisasm nor cuobjdump is on the PATH or beside nvcc: new runs have no "
                "disassembly");
}

/* Asks as the variants that call the libraries do. */
DOCTOR_CHECK(check_libraries)
{
    enum { HOPPER = 90 };
    int count = 0;
    for (int i = 0; all_variants()[i]; i++) {
        const struct variant *variant = all_variants()[i];
        const struct family *family = registry_family(variant->family);
        struct point point = {0};
        if (variant_kind(variant) != KIND_LIBRARY || !family ||
            shape_parse(&point.shape, family->sizes[0], family->rank))
            continue;
        const char *refused = variant->refuses ? variant->refuses(&point, HOPPER) : NULL;
        count++;
        if (!refused) continue;
        finding_set(finding, CHECK_NOTE, NULL, "%s/%s will be skipped: %s", variant->family,
                    variant->name, refused);
        return;
    }
    if (count)
        finding_ok(finding, "all libraries of the library variants are found (%d variants)", count);
    else
        finding_skip(finding, "this build has no variants: it was made without CUDA");
}

/* ---- the program's own data ------------------------------------------------------------------ */

DOCTOR_CHECK(check_data)
{
    static const char *const files[] = {"metrics/sets.metric", "plots/style.gp",
                                        "reports/pages/index.html", "kernels"};
    static const char fix[] = "reinstall the program, or name its data directory in WHYFAST_DATA";
    char *data = data_find(), *absolute = data ? realpath(data, NULL) : NULL;
    if (!data) {
        finding_set(finding, CHECK_BAD, fix,
                    "the directory with metrics/, plots/ and reports/ is missing");
        return;
    }
    finding_ok(finding, "%s", absolute ? absolute : data);
    free(absolute);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const struct path path = path_in(data, files[i]);
        if (access(path.at, R_OK))
            finding_set(finding, CHECK_BAD, fix, "%s cannot be read: %s", path.at, strerror(errno));
    }
    free(data);
}

DOCTOR_CHECK(check_recorded)
{
    glob_t found = {0};
    char *data = data_find();
    const struct path pattern = path_in(data ? data : "", "reports/recorded/*/" FACTS_FILE);
    const size_t count = data && !glob(pattern.at, 0, NULL, &found) ? found.gl_pathc : 0;
    char *newest = count ? recorded_find(NULL) : NULL;
    struct text others = {0};
    if (newest) recorded_append_others(&others, newest);
    if (newest)
        finding_ok(finding, "%s is shown%s%s", strrchr(newest, '/') + 1,
                   others.length ? "; by name also " : "", text_string(&others));
    else if (count)
        finding_set(finding, CHECK_BAD, "reinstall the program",
                    "none of %zu recorded runs can be opened", count);
    else
        finding_set(finding, CHECK_NOTE, "reinstall the program, or measure a run",
                    "no recorded run: without a GPU nothing can be shown");
    text_free(&others);
    globfree(&found);
    free(newest);
    free(data);
}
