/*
 * Runs a command, and prints its largest resident memory in KiB on stderr, after its own output. On
 * the line before it prints how much of that is anonymous, of files and shared. Exits with the
 * status of the command.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct parts {
    long anonymous, file, shared; /* KiB */
};

static void look(pid_t process, struct parts *parts)
{
    char path[64], line[256];
    struct parts now = {0};
    snprintf(path, sizeof path, "/proc/%ld/status", (long)process);
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status)) {
        sscanf(line, "RssAnon: %ld", &now.anonymous);
        sscanf(line, "RssFile: %ld", &now.file);
        sscanf(line, "RssShmem: %ld", &now.shared);
    }
    if (status) fclose(status);
    if (now.anonymous + now.file + now.shared >= parts->anonymous + parts->file + parts->shared)
        *parts = now;
}

int main(int count, char **arguments)
{
    struct rusage used;
    struct parts parts = {0};
    int status = 0;
    pid_t ended;
    if (count < 2) return 2;
    const pid_t child = fork();
    if (child == 0) {
        execvp(arguments[1], arguments + 1);
        _exit(127);
    }
    if (child < 0) return 125;
    while (!(ended = wait4(child, &status, WNOHANG, &used))) {
        look(child, &parts);
        usleep(5000);
    }
    if (ended != child) return 125;
    fprintf(stderr, "anonymous %ld KiB, of files %ld KiB, shared %ld KiB\n%ld\n", parts.anonymous,
            parts.file, parts.shared, used.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
