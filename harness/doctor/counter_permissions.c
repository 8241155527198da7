#include "doctor/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

/* Returns the value after "key:" inside *text, which the caller frees; NULL without such a line. */
static const char *value_of(const char *path, const char *key, char **text)
{
    const size_t length = strlen(key);
    *text = text_read_file(path, NULL);
    for (const char *line = *text; line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, key, length) && line[length] == ':')
            return line + length + 1 + strspn(line + length + 1, " \t");
    return NULL;
}

/* A number ends at the end of the line or before the blank of its unit. */
static int ends(const char *value, const char *end)
{
    return end != value && errno == 0 && (*end == 0 || *end == '\n' || *end == ' ');
}

int permissions_capabilities(const char *path, uint64_t *capabilities)
{
    char *text, *end;
    const char *value = value_of(path, "CapEff", &text);
    errno = 0;
    *capabilities = value ? strtoull(value, &end, 16) : 0;
    const int known = value && *value != '-' && ends(value, end);
    free(text);
    return known;
}

int permissions_number(const char *path, const char *key, long *value)
{
    char *text, *end;
    const char *found = value_of(path, key, &text);
    errno = 0;
    *value = found ? strtol(found, &end, 10) : 0;
    const int known = found && ends(found, end);
    free(text);
    return known;
}

int permissions_admin_only(const char *path)
{
    long value;
    return permissions_number(path, "RmProfilingAdminOnly", &value) ? value != 0 : -1;
}

enum permission permissions_judge(int admin_only, uint64_t capabilities, long driver)
{
    enum { FIRST_WITH_PERFMON = 565 };
    if (admin_only == 0) return PERMITTED_ALL;
    if (capabilities & CAPABILITY_SYS_ADMIN) return PERMITTED_ADMIN;
    if (capabilities & CAPABILITY_PERFMON && driver >= FIRST_WITH_PERFMON) return PERMITTED_PERFMON;
    return admin_only < 0 || (capabilities & CAPABILITY_PERFMON && driver == 0)
               ? PERMISSION_UNKNOWN
               : PERMISSION_REFUSED;
}

const char *permissions_container(const char *root)
{
    static const struct {
        const char *file, *name;
    } marks[] = {{"/.dockerenv", "Docker"},
                 {"/run/.containerenv", "Podman"},
                 {"/.singularity.d", "Apptainer"},
                 {"/var/run/secrets/kubernetes.io", "Kubernetes"}};
    const char *name = NULL;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && !name; i++) {
        char *path = text_new("%s%s", root, marks[i].file);
        if (path && access(path, F_OK) == 0) name = marks[i].name;
        free(path);
    }
    return name;
}
