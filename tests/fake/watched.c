/*
 * Stands in for a program of the user with the injected library: writes what the library would
 * leave below WHYFAST_WATCH, with known figures, and follows plan.txt. Without the variable it is
 * an ordinary program. Each argument makes it do something more:
 *
 *   echo       prints its input
 *   random     prints another line at each start
 *   modes      every second launch takes twice as long
 *   fewer=N    launches add only N times at later starts
 *   child      a second process has one kernel
 *   refused    CUPTI refuses samples, counters and counts
 *   busy       CUPTI refuses everything
 *   dropped    CUPTI drops records of kernels
 *   unwritten  the library finds the disk full
 *   fill=FILE  the program fills the disk with this file
 *   blocks     add has a million blocks
 *   odd        tiny has a very long name with quotes, commas and bytes of no character
 *   graph      add is launched by a CUDA graph
 *   replay_prints   prints another line if a launch is replayed
 *   replay_refused  CUPTI refuses to replay
 *   none       uses no CUDA
 *   close      closes its descriptors
 *   environment  prints the variables of the injection
 *   hang       never ends, unless it is the first start
 *   crash      ends by SIGSEGV
 *   cubin=FILE the library kept this machine code
 *   vendor     the library knocks nothing out of it
 *   exit=N     ends with status N
 *   say=WORDS  prints these words
 *   slow       takes half as long again for each launch
 *   renamed    add has another name
 *   larger     add has another grid
 *   a:WORD     what WORD does, in the first of two programs that 'whyfast diff' starts; b:WORD in
 *              the second
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KERNELS = 4 };

/* add: one shape; mul: two; tiny: too short to be chosen. */
static const struct {
    const char *symbol, *range;
    unsigned grid, block, launches, ns;
} kernels[KERNELS] = {
    {"_Z3addPf", "step #", 132, 256, 20, 100000},
    {"_Z3mulIfEvPT_", "whyfast|product|1024|4194304", 64, 128, 12, 50000},
    {"_Z3mulIfEvPT_", "", 32, 128, 1, 300000},
    {"_Z4tinyv", "", 1, 32, 1, 1000},
};

static char *const *words;
static const char *watch;
static int start;   /* its number: the name of the directory */
static int replays; /* the plan wants launches to be replayed */

static int does(const char *word)
{
    for (char *const *at = words; *at; at++)
        if (!strcmp(*at, word)) return 1;
    return 0;
}

/* Number of this process: 1 in the second program of 'whyfast diff'. */
static int own, is_pair;

static FILE *open_part(int process, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", watch, process);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%d/%s", watch, process, name);
    FILE *file = fopen(path, "w");
    if (!file) exit(99);
    return file;
}

static void write_process(int process, const char *name)
{
    FILE *file = open_part(process, "process.txt");
    fprintf(file,
            "pid: 1\nparent: 0\nexecutable: /usr/bin/%s\narguments: %s\tsome\\tword\n"
            "generation: 1\ncupti: /lib/libcupti.so.13\ncupti_version: 130001\nchip: "
            "FAKE100\ndriver: 580\n"
            "ended: exit\n",
            name, name);
    fclose(file);
}

static unsigned launches_of(int k)
{
    for (char *const *word = words; k == 0 && start > 0 && *word; word++)
        if (!strncmp(*word, "fewer=", 6)) return (unsigned)atoi(*word + 6);
    return kernels[k].launches;
}

/* Returns the range of a kernel if the plan tells launches apart by ranges; marks always count. */
static const char *range_of(int k)
{
    char path[4096], line[8192];
    int is_by_range = !strncmp(kernels[k].range, "whyfast|", strlen("whyfast|"));
    snprintf(path, sizeof path, "%s/plan.txt", watch);
    FILE *plan = fopen(path, "r");
    while (plan && fgets(line, sizeof line, plan)) is_by_range |= !strcmp(line, "by\trange\n");
    if (plan) fclose(plan);
    return is_by_range ? kernels[k].range : "";
}

/* Writes the symbol of a kernel as a cell of CSV. */
static void write_symbol(FILE *file, int k)
{
    const int is_odd = does("odd") && !strcmp(kernels[k].symbol, "_Z4tinyv");
    fputs(is_odd                      ? "\"odd<\"\"q\"\", 'c', \xff\xc3>::"
          : k == 0 && does("renamed") ? "_Z7add_allPf"
                                      : kernels[k].symbol,
          file);
    for (int i = 0; i < 2500 && is_odd; i++) fputs("f<4>", file);
    if (is_odd) fputs("\"", file);
}

static void write_kernels(int process, int first, int last)
{
    FILE *file = open_part(process, "kernels.csv");
    fputs("kernel,symbol,device,grid_x,grid_y,grid_z,block_x,block_y,block_z,dynamic_shared,"
          "static_shared,registers,local_bytes,max_block_threads,blocks_per_sm,range,cubin,graph\n",
          file);
    for (int k = first; k < last; k++) {
        fprintf(file, "%d,", k - first);
        write_symbol(file, k);
        fprintf(file, ",0,%u,1,1,%u,1,1,0,1024,32,0,1024,8,%s,,%d\n",
                k == 0 && does("blocks")   ? 1000000
                : k == 0 && does("larger") ? 264
                                           : kernels[k].grid,
                kernels[k].block, range_of(k), k == 0 && does("graph"));
    }
    fclose(file);
    file = open_part(process, "launches.csv");
    fputs("kernel,ordinal,begin_ns,end_ns,stream\n", file);
    unsigned long long now = 1000;
    for (int k = first; k < last; k++)
        for (unsigned n = 0; n < launches_of(k); n++, now += 2 * kernels[k].ns + 500) {
            const unsigned times = does("modes") && n % 2 ? 2 : 1;
            fprintf(file, "%d,%u,%llu,%llu,7\n", k - first, n, now,
                    now + times * kernels[k].ns * (does("slow") ? 3 : 2) / 2 + n % 3);
        }
    fclose(file);
}

static void write_samples(void)
{
    FILE *file = open_part(own, "samples.csv");
    fputs("symbol,cubin,pc,reason,samples,not_issued\n"
          "_Z3addPf,,16,long_scoreboard,30,22\n_Z3addPf,,16,selected,5,0\n"
          "_Z3addPf,,32,wait,12,3\n_Z3mulIfEvPT_,,0,selected,4,0\n",
          file);
    fclose(file);
    file = open_part(own, "totals.csv");
    fputs("name,value\nperiod,4096\ntotal,51\ndropped,0\nelsewhere,1\n", file);
    fclose(file);
}

/* The clock is 1.5 GHz, and the conflicts tell the last launch and the passes; others are 0. */
static double value_of(const char *metric, unsigned launch, unsigned passes)
{
    if (!strcmp(metric, "sm__cycles_elapsed.avg.per_second")) return 1.5e9;
    if (!strcmp(metric, "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained"))
        return 512; /* 128 lanes of 4 SMs */
    if (strstr(metric, "tensor") && strstr(metric, ".sum.peak_sustained"))
        return strstr(metric, "tf32") ? 8192 : 16384; /* 2048 and 4096 operations of 4 SMs */
    if (!strcmp(metric, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"))
        return 100.0 * launch + passes;
    return 0;
}

/* Returns the number of passes of a kernel that earlier starts have kept, and keeps one with more.
 */
static unsigned keep_passes(unsigned kernel, unsigned most, unsigned launches)
{
    char path[4096];
    unsigned came = 0;
    snprintf(path, sizeof path, "%s/../images/%u", watch, kernel);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%u", &came) != 1) exit(95);
    if (file) fclose(file);
    file = fopen(path, "w");
    if (!file || came >= most) exit(94);
    fprintf(file, "%u\n", came + launches < most ? came + launches : most);
    fclose(file);
    return came;
}

/* Profiles the launches of a kernel until all passes have come. Its number in the plan may be
 * another one than here. */
static void write_kernel_counters(FILE *file, unsigned planned, int kernel, unsigned first,
                                  unsigned last, unsigned passes, const char *metrics)
{
    if (last >= launches_of(kernel)) last = launches_of(kernel) - 1;
    const unsigned launches = first > last ? 0 : last - first + 1,
                   came = replays || passes == 1 ? passes - launches
                                                 : keep_passes(planned, passes, launches);
    if (came + launches < passes) {
        fprintf(file, "%u,passes,%u\n", planned, came + launches);
        return;
    }
    fprintf(file, "%u,passes,%u\n", planned, passes);
    char *names = strdup(metrics), *rest = names;
    for (char *metric; (metric = strsep(&rest, "\t"));)
        fprintf(file, "%u,%s,%g\n", planned, metric,
                value_of(metric, first + passes - came - 1, passes));
    free(names);
}

/* Returns the kernel that has this grid. */
static int kernel_of(unsigned grid)
{
    int k = 0;
    while (k < KERNELS && kernels[k].grid != grid) k++;
    if (k == KERNELS) exit(93);
    return k;
}

/* Follows the lines of plan.txt that take launches, which are of one process and follow those of
 * their kernels; that of the metrics comes before. */
static void write_counters(FILE *plan)
{
    static char line[1 << 16], metrics[sizeof line];
    unsigned passes = 0, planned, grid = 0, first, last;
    int process = -1, taken_of = -1;
    FILE *file = NULL;
    while (fgets(line, sizeof line, plan)) {
        line[strcspn(line, "\n")] = 0;
        sscanf(line, "passes\t%u", &passes);
        sscanf(line, "replays\t%d", &replays);
        if (!strncmp(line, "metrics\t", 8)) strcpy(metrics, line + 8);
        sscanf(line, "kernel\t%u\t%d\t%*s\t%*d\t%u", &planned, &process, &grid);
        if (sscanf(line, "take\t%u\t%u\t%u", &planned, &first, &last) != 3) continue;
        if (is_pair && process != own) continue;
        if (!file) {
            file = open_part(process, "counters.csv");
            fputs("kernel,metric,value\n", file);
            taken_of = process;
        }
        if (process != taken_of) exit(92);
        if (replays && does("replay_refused")) continue;
        write_kernel_counters(file, planned, kernel_of(grid), first, last, passes, metrics);
    }
    if (file) fclose(file);
}

static void write_counts(FILE *plan)
{
    char line[4096], symbol[256] = "";
    int process = 0;
    while (fgets(line, sizeof line, plan)) sscanf(line, "kernel\t0\t%d\t%255s", &process, symbol);
    if (process != own) return;
    FILE *file = open_part(own, "counts.csv");
    fputs("kernel,symbol,pc,executed,threads,threads_on,branches_uniform,branches_divergent,"
          "shared_wavefronts,shared_ideal,global_sectors,global_ideal,local_sectors\n",
          file);
    for (int pc = 0; pc <= 32; pc += 16)
        fprintf(file, "0,%s,%d,64,2048,2048,,,%s,,,\n", symbol, pc, pc == 16 ? "128,64" : ",");
    fclose(file);
}

static void copy_cubin(const char *from)
{
    char path[4096], bytes[4096];
    snprintf(path, sizeof path, "%s/%d/cubins", watch, own);
    mkdir(path, 0777);
    FILE *input = fopen(from, "rb"), *output = open_part(own, "cubins/12ab.cubin");
    for (size_t count; input && (count = fread(bytes, 1, sizeof bytes, input)) > 0;)
        fwrite(bytes, 1, count, output);
    if (input) fclose(input);
    fclose(output);
}

/* Times the twins of the plan, or says why not. */
static void write_knockouts(FILE *plan)
{
    char line[4096], knockout[64];
    int planned = -1, process;
    FILE *file = open_part(own, does("vendor") ? "problems.csv" : "knockouts.csv");
    fputs(does("vendor") ? "what,kernel,reason\n"
                         : "kernel,what,knockout,status,samples,time_ns,saved_ns,low_ns,high_ns\n",
          file);
    while (fgets(line, sizeof line, plan)) {
        const int is_kernel = sscanf(line, "kernel\t%d\t%d", &planned, &process) == 2;
        if (is_kernel && process != own) exit(91);
        if (is_kernel && does("vendor"))
            fprintf(file, "knockouts,%d,it is a kernel of libcublas\n", planned);
        else if (is_kernel)
            fprintf(file, "%d,done,original,,,,,,\n", planned);
        else if (!does("vendor") && sscanf(line, "twin\t%*d\t%63s", knockout) == 1)
            fprintf(file, "%d,result,%s,%s,15,100000,%d,900,1100\n", planned, knockout,
                    strcmp(knockout, "nothing") ? "ok" : "no cost", 1000 + 1000 * own);
    }
    fclose(file);
}

/* The reason of the library for a part that failed, for all kernels. */
static void write_problem(const char *what)
{
    FILE *file = open_part(own, "problems.csv");
    fprintf(file, "what,kernel,reason\n%s,,refused in %s\n", what, what);
    fclose(file);
}

static void write_unwritten(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/unwritten", watch);
    FILE *file = fopen(path, "r+");
    if (!file || fprintf(file, "%d\n", ENOSPC) < 0 || fclose(file)) exit(97);
}

static void fill_disk(const char *path)
{
    static const char bytes[1 << 16];
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    for (size_t count = sizeof bytes; file >= 0 && count > 0;)
        if (write(file, bytes, count) <= 0) count /= 2;
    if (file < 0 || close(file)) exit(96);
}

/* Opens the plan and reads its mode, which follows the processes of the first start, if that was
 * made. */
static FILE *open_plan(char mode[64])
{
    char path[4096], line[8192];
    int processes = 0;
    snprintf(path, sizeof path, "%s/plan.txt", watch);
    FILE *plan = fopen(path, "r");
    if (!plan || fscanf(plan, "starter\t%*d%1[\n]", line) != 1) exit(98);
    while (fscanf(plan, "mode\t%63s\n", mode) != 1) {
        if (!fgets(line, sizeof line, plan) || strncmp(line, "process\t", 8)) exit(98);
        processes++;
    }
    if ((processes > 0) != (start > 0)) exit(98);
    return plan;
}

/* What goes wrong with a replay. */
static void end_replay(void)
{
    if (replays && does("replay_prints")) puts("replayed");
    if (replays && does("replay_refused")) write_problem("counters");
}

static void use_gpu(void)
{
    char mode[64] = "";
    FILE *plan = open_plan(mode);
    const char *part = !strcmp(mode, "times") ? "samples" : mode;
    write_process(own, own ? "watched_after" : "watched");
    if (does("busy") || does("refused")) write_problem(does("busy") ? "launches" : part);
    if (does("dropped")) write_problem("times");
    if (does("busy")) exit(fclose(plan));
    write_kernels(own, 0, KERNELS);
    if (does("child")) {
        write_process(1, "watched");
        write_kernels(1, 0, 1);
    }
    for (char *const *word = words; *word; word++)
        if (!strncmp(*word, "cubin=", 6)) copy_cubin(*word + 6);
    if (!strcmp(part, "samples") && !does("refused")) write_samples();
    if (!strcmp(part, "counters") && !does("refused")) write_counters(plan);
    if (!strcmp(part, "counts") && !does("refused")) write_counts(plan);
    if (!strcmp(part, "knockouts")) write_knockouts(plan);
    end_replay();
    fclose(plan);
}

/* Returns 1 if the library ends the process before the program has printed all. */
static int ends_early(void)
{
    char mode[64] = "";
    if (watch) fclose(open_plan(mode));
    return !strcmp(mode, "knockouts");
}

int main(int count, char **arguments)
{
    const char *output = getenv("WHYFAST_DIFF_OUTPUT");
    char **taken = arguments + 1;
    is_pair = output != NULL;
    own = is_pair && strstr(output, "/b.data");
    for (int i = 1; i < count; i++)
        if (strncmp(arguments[i], "a:", 2) && strncmp(arguments[i], "b:", 2))
            *taken++ = arguments[i];
        else if (own == (*arguments[i] == 'b'))
            *taken++ = arguments[i] + 2;
    *taken = NULL;
    words = arguments + 1;
    watch = getenv("WHYFAST_WATCH");
    if (watch && strrchr(watch, '/')) start = atoi(strrchr(watch, '/') + 1);
    for (int c; does("echo") && (c = getchar()) != EOF;) putchar(c);
    if (does("random")) printf("%ld\n", (long)getpid());
    if (does("environment"))
        printf("%d\n", (getenv("CUDA_INJECTION64_PATH") != NULL) +
                           (getenv("NVTX_INJECTION64_PATH") != NULL) + (watch != NULL));
    puts("done");
    const int is_cut = ends_early();
    for (char *const *word = words; *word && !is_cut; word++)
        if (!strncmp(*word, "say=", 4)) puts(*word + 4);
    fflush(stdout);
    for (int file = 0; file < 64 && does("close"); file++) close(file);
    if (watch && does("unwritten")) write_unwritten();
    if (watch && !does("none")) use_gpu();
    for (char *const *word = words; *word; word++)
        if (!strncmp(*word, "fill=", 5)) fill_disk(*word + 5);
    while (does("hang") && start > 0) pause();
    if (does("crash")) raise(11);
    for (char *const *word = words; *word; word++)
        if (!strncmp(*word, "exit=", 5)) return atoi(*word + 5);
    return 0;
}
