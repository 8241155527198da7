/*
 * The checks that look for programs and files: where results go, what draws and disassembles, and
 * the program's own data.
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
#include "base/data_directory.h"
#include "base/process.h"
#include "base/text.h"
#include "catalog/registry.h"
#include "check/doctor.h"
#include "run/recorded_runs.h"

static const double mega = 1e6;

/* ---- places to write ------------------------------------------------------------------------- */

/* The directory itself, or the nearest above it that is there, cut out of `path`; it is made
 * when a run is written. */
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

/* Writes a file there, whole, and removes it: 0, or errno. */
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

static void check_place(const char *wanted, double needed, const char *fix, struct finding *finding)
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
        finding_set(finding, CHECK_OK, NULL, "%s can be written; how much room it has is not told",
                    place);
    else if (available < needed)
        finding_set(finding, CHECK_NOTE, fix, "%s has room for %.1f MB; %.0f MB are good to have",
                    place, available / mega, needed / mega);
    else
        finding_set(finding, CHECK_OK, NULL, "%s can be written and has room for %.0f MB", place,
                    available / mega);
    free(absolute);
}

/* A run of all families, with its timeline, its report and its charts takes some 50 MB, and
 * stands beside the one that it replaces. */
void check_output(struct patient *patient, struct finding *finding)
{
    char *nearest = text_new("%s", patient->output);
    if (nearest) cut_to_existing(nearest);
    check_place(nearest ? nearest : patient->output, 100 * mega, "name another directory by -o",
                finding);
    free(nearest);
}

/* What probes print, and cubins to disassemble. */
void check_temporary(struct patient *patient, struct finding *finding)
{
    const char *place = getenv("TMPDIR");
    (void)patient;
    check_place(place && *place ? place : "/tmp", 50 * mega, "name another directory in TMPDIR",
                finding);
}

/* ---- programs -------------------------------------------------------------------------------- */

/* The first line that a program prints, which the caller frees; NULL when it fails. */
static char *first_line(char *const *command)
{
    struct process child;
    char path[48], *line = NULL;
    if (process_start(&child, command)) return NULL;
    process_wait(&child, 1);
    if (process_succeeded(&child)) line = text_read_file(process_output(&child, path), NULL);
    if (line) line[strcspn(line, "\n")] = 0;
    process_free(&child);
    return line;
}

/* What programs print goes there. */
static int has_temporary_files(struct finding *finding)
{
    char *path;
    const int file = temporary_file(&path);
    if (file < 0) {
        finding_set(finding, CHECK_SKIPPED, NULL, "cannot be asked without temporary files");
        return 0;
    }
    close(file);
    unlink(path);
    free(path);
    return 1;
}

static int has_terminal(char *terminal)
{
    char gnuplot[] = "gnuplot", execute[] = "-e";
    char *const command[] = {gnuplot, execute, terminal, NULL};
    char *line = first_line(command);
    free(line);
    return line != NULL;
}

void check_gnuplot(struct patient *patient, struct finding *finding)
{
    char gnuplot[] = "gnuplot", ask[] = "--version", svg[] = "set terminal svg",
         png[] = "set terminal pngcairo";
    char *const command[] = {gnuplot, ask, NULL};
    char *place = process_find(gnuplot);
    (void)patient;
    if (place && !has_temporary_files(finding)) {
        free(place);
        return;
    }
    char *version = place ? first_line(command) : NULL;
    if (!place)
        finding_set(finding, CHECK_NOTE, "install gnuplot (the package gnuplot-nox will do)",
                    "gnuplot is not on the PATH: reports have no charts");
    else if (!version)
        finding_set(finding, CHECK_BAD, "install it anew", "%s does not work", place);
    else if (!has_terminal(svg))
        finding_set(finding, CHECK_BAD, "install another build of gnuplot",
                    "%s at %s cannot draw SVG", version, place);
    else if (!has_terminal(png))
        finding_set(finding, CHECK_BAD,
                    "install gnuplot with Cairo (the package gnuplot-nox has it)",
                    "%s at %s cannot draw PNG by pngcairo", version, place);
    else
        finding_set(finding, CHECK_OK, NULL, "%s at %s, draws SVG and PNG", version, place);
    free(version);
    free(place);
}

void check_disassembler(struct patient *patient, struct finding *finding)
{
    char *place = process_find("nvdisasm");
    if (!place) place = process_find("cuobjdump");
    (void)patient;
    if (place)
        finding_set(finding, CHECK_OK, NULL, "%s", place);
    else
        finding_set(finding, CHECK_NOTE, "put the bin directory of the CUDA toolkit on the PATH",
                    "neither nvdisasm nor cuobjdump is on the PATH: new runs have no text of "
                    "machine instructions");
    free(place);
}

/* Asked as the variants that call them ask. */
void check_libraries(struct patient *patient, struct finding *finding)
{
    enum { HOPPER = 90 };
    int count = 0;
    (void)patient;
    for (int i = 0; registry_variants[i]; i++) {
        const struct variant *variant = registry_variants[i];
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
        finding_set(finding, CHECK_OK, NULL,
                    "all that baselines of libraries call is found (%d variants)", count);
    else
        finding_set(finding, CHECK_SKIPPED, NULL,
                    "this build carries no variants: it was made without CUDA");
}

/* ---- the program's own data ------------------------------------------------------------------ */

void check_data(struct patient *patient, struct finding *finding)
{
    static const char *const files[] = {"metrics/sets.metric", "plots/style.gp",
                                        "reports/template.html", "reports/template.md", "kernels"};
    static const char fix[] = "install the program anew, or name its data in WHYFAST_DATA";
    char *data = data_find(), *absolute = data ? realpath(data, NULL) : NULL;
    (void)patient;
    if (!data) {
        finding_set(finding, CHECK_BAD, fix,
                    "the directory with metrics/, plots/ and reports/ is not found");
        return;
    }
    finding_set(finding, CHECK_OK, NULL, "%s", absolute ? absolute : data);
    free(absolute);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = text_new("%s/%s", data, files[i]);
        if (path && access(path, R_OK))
            finding_set(finding, CHECK_BAD, fix, "%s cannot be read: %s", path, strerror(errno));
        free(path);
    }
    free(data);
}

void check_recorded(struct patient *patient, struct finding *finding)
{
    glob_t found = {0};
    char *data = data_find(),
         *pattern = data ? text_new("%s/reports/recorded/*/run.txt", data) : NULL;
    (void)patient;
    const size_t count = pattern && !glob(pattern, 0, NULL, &found) ? found.gl_pathc : 0;
    char *newest = count ? recorded_newest() : NULL;
    if (newest)
        finding_set(finding, CHECK_OK, NULL, "%zu, the newest is %s", count,
                    strrchr(newest, '/') + 1);
    else if (count)
        finding_set(finding, CHECK_BAD, "install the program anew",
                    "none of %zu recorded runs can be opened", count);
    else
        finding_set(finding, CHECK_NOTE, "install the program anew, or measure one",
                    "no recorded run: without a GPU there is nothing to show");
    globfree(&found);
    free(newest);
    free(pattern);
    free(data);
}
