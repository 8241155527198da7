/*
 * Runs a command, and prints its largest resident memory in KiB on stderr, after its own output.
 * Exits with its status.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    struct rusage used;
    int status = 0;
    if (count < 2) return 2;
    const pid_t child = fork();
    if (child == 0) {
        execvp(arguments[1], arguments + 1);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child) return 125;
    fprintf(stderr, "%ld\n", used.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
