/*
 * The part of gemm_choices.cu that needs no GPU: its arguments, the shapes and their choices, the
 * memory that it shares with the process that measures, the watch over that process, the rows and
 * the summary. Nothing is owned.
 */
#ifndef BENCH_GEMM_CHOICES_H
#define BENCH_GEMM_CHOICES_H

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "by_shape.h"

enum { LIBRARIES = 2, MOST_CHOICES = 48, MOST_RUNS = LIBRARIES + MOST_CHOICES, MOST_ROUNDS = 31 };
static const char *const library_names[LIBRARIES] = {"cuBLAS", "cuBLAS pedantic"};

/* ---- arguments ------------------------------------------------------------------------------- */

struct options {
    double seconds = 0;
    std::vector<by_shape_sides> shapes;
    double factor = 1.6; /* of the best estimate: choices up to it are measured */
    int most = 12;       /* choices of a shape */
    int rounds = 9;
    double shape_seconds = 1; /* rounds beyond the third must fit into this time */
    size_t from = 0;          /* the first shape to measure */
    std::string kernel;       /* if named: all its choices, and the best OTHERS */
    bool list = false;        /* print the choices, and measure nothing */
};

enum { OTHERS = 3 };

/* Cubes, thin, deep, skinny and ragged products. */
static const by_shape_sides usual_shapes[] = {
    {64, 64, 64},       {128, 128, 128},    {192, 192, 192},    {256, 256, 256},
    {384, 384, 384},    {512, 512, 512},    {768, 768, 768},    {1024, 1024, 1024},
    {1536, 1536, 1536}, {2048, 2048, 2048}, {3072, 3072, 3072}, {4096, 4096, 4096},
    {8192, 8192, 8192}, {1, 4096, 4096},    {4, 4096, 4096},    {8, 4096, 4096},
    {12, 4096, 4096},   {16, 4096, 4096},   {1, 16384, 16384},  {5, 333, 777},
    {5, 40, 100000},    {4096, 1, 4096},    {4096, 4, 4096},    {4096, 8, 4096},
    {16, 1, 1000000},   {1, 1, 1000000},    {8, 8, 100000},     {16, 16, 1000000},
    {64, 64, 65536},    {128, 128, 16384},  {256, 256, 2048},   {256, 256, 8192},
    {512, 512, 4096},   {300, 20, 40000},   {1024, 128, 4096},  {32, 4096, 4096},
    {64, 4096, 4096},   {4096, 16, 4096},   {4096, 32, 4096},   {4096, 64, 4096},
    {4096, 4096, 16},   {4096, 4096, 64},   {63, 3000, 3000},   {40, 2000, 4000},
    {333, 333, 333},    {511, 513, 515},    {700, 700, 1000},   {1000, 1000, 1000},
    {1001, 999, 1003},  {1023, 1023, 1023}, {1500, 1501, 300},  {2047, 2047, 2047},
    {2500, 2499, 2501}, {4095, 4097, 100},  {12, 3001, 3000},   {4001, 7, 3001},
    {17, 33, 100001},   {3000, 61, 3001},
};

/* Products with a small K, with rows of C of all alignments; the last ones are for the check. */
static const by_shape_sides shallow_shapes[] = {
    {2619, 2570, 50}, {2708, 3482, 4},  {2954, 1250, 19}, {3200, 452, 40},   {969, 787, 38},
    {1087, 3603, 16}, {2619, 2571, 50}, {2619, 2576, 50}, {2708, 3481, 4},   {2708, 3488, 4},
    {4096, 4096, 16}, {4096, 4096, 64}, {4095, 4097, 64}, {4000, 4001, 1},   {600, 1001, 33},
    {400, 3002, 24},  {512, 2048, 32},  {1000, 1000, 64}, {1500, 1501, 100}, {2047, 2047, 128},
    {17, 17, 1},      {130, 66, 128},   {65, 259, 127},   {301, 31, 3},
};

/* Shapes drawn as by draw() of tests/gpu/library_gemm.sh: Lehmer's generator. */
struct draw {
    uint64_t x;

    uint64_t side(uint64_t most)
    {
        x = 48271 * x % 2147483647;
        return 1 + most * x / 2147483647;
    }

    by_shape_sides shape(uint64_t m_most, uint64_t n_most, uint64_t k_most)
    {
        const uint64_t m = side(m_most), n = side(n_most);
        return {m, n, side(k_most)};
    }
};

/* `count` shapes of each kind: with sides up to 4096; the same, but one side up to 63; with sides
 * up to 512. */
static void add_random(std::vector<by_shape_sides> *shapes, int count, uint64_t seed)
{
    draw draw = {seed};
    for (int i = 0; i < 16; i++) draw.side(1);
    for (int i = 0; i < count; i++) shapes->push_back(draw.shape(4096, 4096, 4096));
    for (int i = 0; i < count; i++)
        shapes->push_back(
            draw.shape(i % 3 ? 4096 : 63, i % 3 == 1 ? 63 : 4096, i % 3 == 2 ? 63 : 4096));
    for (int i = 0; i < count; i++) shapes->push_back(draw.shape(512, 512, 512));
}

static void add_shallow(std::vector<by_shape_sides> *shapes)
{
    shapes->insert(shapes->end(), std::begin(shallow_shapes), std::end(shallow_shapes));
}

static void add_usual(std::vector<by_shape_sides> *shapes)
{
    shapes->insert(shapes->end(), std::begin(usual_shapes), std::end(usual_shapes));
}

static bool add_shape(std::vector<by_shape_sides> *shapes, const char *text)
{
    unsigned long long m, n, k;
    char end;
    if (sscanf(text, "%llux%llux%llu%c", &m, &n, &k, &end) != 3) return false;
    const uint64_t most = (uint64_t)1 << 31, side = 2097120;
    if (!m || !n || !k || m > side || n > side || k > side) return false;
    if (m * n >= most || m * k >= most || n * k >= most) return false;
    shapes->push_back({m, n, k});
    return true;
}

/* Returns the argument that is not understood, or NULL. */
static const char *read_options(int count, char **argument, options *options)
{
    int random = 0;
    uint64_t seed = 20260713;
    bool usual = false;
    if (count < 2 || (options->seconds = strtod(argument[1], NULL)) <= 0) return "";
    for (int i = 2; i < count; i++) {
        const std::string name = argument[i];
        const char *value = i + 1 < count ? argument[i + 1] : "";
        const double number = strtod(value, NULL);
        if (name == "default") {
            usual = true;
        } else if (name == "shallow") {
            add_shallow(&options->shapes);
        } else if (name == "--list") {
            options->list = true;
        } else if (name[0] != '-') {
            if (!add_shape(&options->shapes, argument[i])) return argument[i];
        } else {
            if (!*value) return argument[i];
            if (name == "--random")
                random = (int)number;
            else if (name == "--seed")
                seed = strtoull(value, NULL, 10);
            else if (name == "--factor")
                options->factor = number;
            else if (name == "--kernel")
                options->kernel = value;
            else if (name == "--most")
                options->most = std::clamp((int)number, 1, (int)MOST_CHOICES);
            else if (name == "--rounds")
                options->rounds = std::clamp((int)number, 1, (int)MOST_ROUNDS);
            else if (name == "--shape-seconds")
                options->shape_seconds = number;
            else if (name == "--from")
                options->from = (size_t)number;
            else
                return argument[i];
            i++;
        }
    }
    if (usual || (options->shapes.empty() && !random)) add_usual(&options->shapes);
    add_random(&options->shapes, random, seed);
    return NULL;
}

/* ---- choices --------------------------------------------------------------------------------- */

static bool same_choice(const by_shape_choice &a, const by_shape_choice &b)
{
    return a.kernel == b.kernel && a.tile == b.tile && a.cluster == b.cluster &&
           a.parts == b.parts && a.split == b.split && a.blocks == b.blocks && a.padded == b.padded;
}

static bool same_tile(const by_shape_choice &a, const by_shape_choice &b)
{
    return a.kernel == b.kernel && a.tile == b.tile && a.split == b.split && a.padded == b.padded;
}

static const char *kernel_name(by_shape_kernel kernel)
{
    switch (kernel) {
    case BY_SPLIT_TILE: return "split";
    case BY_SHARE: return "share";
    case BY_STREAM: return "stream";
    case BY_FEW_STEPS: return "few steps";
    case BY_ROWS: return "rows";
    case BY_COLUMNS: return "columns";
    case BY_CORNER: return "corner";
    }
    return "?";
}

/* The kernel and its tile, in words. */
static std::string tile_name(const by_shape_choice &choice)
{
    int m = 0, n = 0;
    const char *kind = "";
    switch (choice.kernel) {
    case BY_SPLIT_TILE: m = split_tiles[choice.tile].m, n = split_tiles[choice.tile].n; break;
    case BY_SHARE:
        m = share_tiles[choice.tile].m, n = share_tiles[choice.tile].n;
        kind = share_tiles[choice.tile].ragged == RAGGED_WORDS
                   ? choice.split ? " by words shared" : " by words"
               : choice.split ? " shared"
                              : "";
        break;
    case BY_STREAM:
        m = stream_tiles[choice.tile].m, n = stream_tiles[choice.tile].n;
        kind = choice.padded  ? choice.split ? " padded shared" : " padded whole"
               : choice.split ? " shared"
                              : " whole";
        break;
    case BY_FEW_STEPS:
        m = few_steps_tiles[choice.tile].m, n = few_steps_tiles[choice.tile].n;
        break;
    case BY_ROWS:
        m = thin_rows_tiles[choice.tile].rows, n = thin_rows_tiles[choice.tile].columns;
        kind = thin_rows_tiles[choice.tile].width == 1 ? " by words" : "";
        break;
    case BY_COLUMNS:
        m = COLUMNS_BLOCK_ROWS, n = thin_columns_tiles[choice.tile].columns;
        kind = thin_columns_tiles[choice.tile].width == 1 ? " by words" : "";
        break;
    case BY_CORNER:
        m = thin_corner_tiles[choice.tile].rows, n = thin_corner_tiles[choice.tile].columns;
        break;
    }
    return std::string(kernel_name(choice.kernel)) + " " + std::to_string(m) + " x " +
           std::to_string(n) + kind;
}

static std::string choice_words(const by_shape_choice &choice)
{
    std::string words = tile_name(choice);
    if (choice.cluster > 1) words += " cluster " + std::to_string(choice.cluster);
    if (choice.parts > 1) words += " parts " + std::to_string(choice.parts);
    if (choice.kernel == BY_STREAM && choice.split)
        words += " waves " + std::to_string(choice.waves);
    if (choice.kernel == BY_CORNER) words += " blocks " + std::to_string(choice.blocks);
    return words;
}

struct candidate {
    by_shape_choice choice; /* with the estimate on an H100 */
    int chosen;             /* by rung 22 */
    int rank;               /* by the estimate, among the choices with the same tile */
};

static void keep_choice(const by_shape_choice *choice, double, void *context)
{
    static_cast<std::vector<candidate> *>(context)->push_back({*choice, 0, 0});
}

/* Sets the ranks in a list that is sorted by the estimates. */
static void rank_by_tile(std::vector<candidate> *list)
{
    for (size_t i = 0; i < list->size(); i++)
        for (size_t j = 0; j < i; j++)
            if (same_tile((*list)[i].choice, (*list)[j].choice)) (*list)[i].rank++;
}

/* Leaves the choices by one kernel, the chosen one, and the best others with different tiles. The
 * list is sorted and has ranks. */
static void keep_kernel(std::vector<candidate> *list, const std::string &kernel)
{
    int others = 0;
    const auto goes = [&](const candidate &c) {
        if (kernel == kernel_name(c.choice.kernel)) return false;
        const bool stays = c.rank == 0 && others < OTHERS;
        others += stays;
        return !stays && !c.chosen;
    };
    list->erase(std::remove_if(list->begin(), list->end(), goes), list->end());
}

/* The choices whose estimates are within the factor of the best, up to `most`: the chosen one, then
 * the best for each tile, then the second for each tile, and so on. Sorted by the estimates. */
static std::vector<candidate> candidates_of(by_shape_sides s, int sm_count, const options &options)
{
    const by_shape_choice chosen = by_shape_choose(s, sm_count);
    std::vector<candidate> list;
    double best = 1e30;
    const auto earlier = [](const candidate &a, const candidate &b) {
        return a.choice.time_us < b.choice.time_us;
    };
    by_shape_visit(s, keep_choice, &list);
    for (candidate &c : list) {
        c.choice = by_shape_on_device(c.choice, s, sm_count);
        c.chosen = same_choice(c.choice, chosen);
        best = std::min(best, c.choice.time_us);
    }
    const double limit = options.kernel.empty() ? best * options.factor : 1e30;
    list.erase(
        std::remove_if(list.begin(), list.end(),
                       [&](const candidate &c) { return !c.chosen && c.choice.time_us > limit; }),
        list.end());
    std::stable_sort(list.begin(), list.end(), earlier);
    rank_by_tile(&list);
    if (!options.kernel.empty()) keep_kernel(&list, options.kernel);
    std::stable_sort(list.begin(), list.end(), [&](const candidate &a, const candidate &b) {
        if (a.chosen != b.chosen) return a.chosen > b.chosen;
        return a.rank != b.rank ? a.rank < b.rank : earlier(a, b);
    });
    if (list.size() > (size_t)options.most) list.resize(options.most);
    std::stable_sort(list.begin(), list.end(), earlier);
    return list;
}

/* ---- what the measuring process writes and the watching one reads ---------------------------- */

enum run_state { RUN_UNCHECKED, RUN_CHECKED, RUN_FAILED };

/* A choice or a mode of the library at a shape. */
struct run {
    run_state state;
    int library; /* 1: runs [0, LIBRARIES) */
    struct candidate candidate;
    double error; /* over its bound; below 0 before the check */
    int samples;
    float sample_us[MOST_ROUNDS];
    char status[120]; /* "" if nothing is wrong */
};

struct shape_record {
    by_shape_sides sides;
    int run_count; /* 0 until the measuring process has seen the device */
    int done;
    struct run run[MOST_RUNS];
    char status[120]; /* why the shape could not be measured */
};

enum { AT_START = -2, AT_SHAPE = -1 };
enum { EXIT_BLAMED = 3 }; /* of a measuring process that has set the status of what failed */

struct progress {
    volatile unsigned beat; /* changes before every step */
    volatile int run;       /* of the shape: the one at work, AT_SHAPE or AT_START */
    volatile size_t shape;  /* at work */
};

struct shared_records {
    progress *at;
    shape_record *shape;
    size_t count;
};

static shared_records share_records(const std::vector<by_shape_sides> &shapes)
{
    const size_t bytes = sizeof(progress) + 64 + shapes.size() * sizeof(shape_record);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return {NULL, NULL, 0};
    shared_records records = {static_cast<progress *>(memory),
                              reinterpret_cast<shape_record *>(static_cast<char *>(memory) + 64),
                              shapes.size()};
    static_assert(sizeof(progress) <= 64, "the records follow");
    for (size_t i = 0; i < shapes.size(); i++) records.shape[i].sides = shapes[i];
    return records;
}

static void set_status(char (&status)[120], const char *text)
{
    snprintf(status, sizeof status, "%s", text);
    for (char *c = status; *c; c++)
        if (*c == ',' || *c == '\n') *c = ';';
}

/* Lists the shape's runs. */
static void list_runs(shape_record *record, int sm_count, const options &options)
{
    const std::vector<candidate> list = candidates_of(record->sides, sm_count, options);
    for (size_t i = 0; i < LIBRARIES + list.size(); i++) {
        record->run[i].library = i < LIBRARIES;
        if (i >= LIBRARIES) record->run[i].candidate = list[i - LIBRARIES];
        record->run[i].error = -1;
    }
    record->run_count = LIBRARIES + (int)list.size();
}

/* The work at hand has failed: the run's, or the whole shape's. */
static void blame(shared_records records, const char *why)
{
    shape_record *record = &records.shape[records.at->shape];
    if (records.at->run < 0) {
        set_status(record->status, why);
        record->done = 1;
        return;
    }
    run *run = &record->run[records.at->run];
    run->state = RUN_FAILED;
    set_status(run->status, why);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static double median(std::vector<double> values)
{
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/* 0 if it was not timed. */
static double time_of(const run &run)
{
    return median({run.sample_us, run.sample_us + run.samples});
}

static bool is_right(const run &run)
{
    return run.state == RUN_CHECKED && !*run.status && run.samples > 0;
}

/* The better mode's time, or 0. */
static double library_time(const shape_record &record)
{
    double best = 0;
    for (int i = 0; i < std::min<int>(LIBRARIES, record.run_count); i++) {
        const double time = time_of(record.run[i]);
        if (is_right(record.run[i]) && (best == 0 || time < best)) best = time;
    }
    return best;
}

static std::string shape_words(by_shape_sides s)
{
    return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
}

/* A number, or nothing if it is not positive. */
static std::string number(const char *format, double value)
{
    char text[40] = "";
    if (value > 0) snprintf(text, sizeof text, format, value);
    return text;
}

static void print_run(const shape_record &record, const run &run, const char *name,
                      double library_us)
{
    const double time = time_of(run);
    const char *status = *run.status                  ? run.status
                         : run.state == RUN_UNCHECKED ? "not run"
                         : run.samples == 0           ? "not timed"
                                                      : "ok";
    printf("%s,%s,%d,%s,%s,%s,%s,%s,%s\n", shape_words(record.sides).c_str(), name,
           run.candidate.chosen,
           number("%.2f", run.library ? 0 : run.candidate.choice.time_us).c_str(),
           number("%.2f", time).c_str(), number("%.2f", library_us).c_str(),
           number("%.3f", time > 0 ? library_us / time : 0).c_str(),
           run.error < 0    ? ""
           : run.error == 0 ? "0"
                            : number("%.3g", run.error).c_str(),
           status);
}

static void print_shape(const shape_record &record)
{
    const double library_us = library_time(record);
    if (*record.status) printf("%s,,,,,,,,%s\n", shape_words(record.sides).c_str(), record.status);
    for (int i = 0; i < record.run_count; i++) {
        const run &run = record.run[i];
        print_run(record, run,
                  run.library ? library_names[i] : choice_words(run.candidate.choice).c_str(),
                  library_us);
    }
    fflush(stdout);
}

/* ---- the watch ------------------------------------------------------------------------------- */

static const double START_SECONDS = 60, STEP_SECONDS = 6, DEATH_SECONDS = 20;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Ends the child; a device may take a while to let it go. */
static void end_child(pid_t child)
{
    const double until = now() + DEATH_SECONDS;
    kill(child, SIGKILL);
    while (waitpid(child, NULL, WNOHANG) == 0 && now() < until) usleep(2000);
}

enum watched { CHILD_FINISHED, CHILD_FAILED, OUT_OF_TIME };

/* Prints the shapes as they get done, until the child ends, stands still, or the time is up. */
static watched watch_child(shared_records records, pid_t child, double until, size_t *printed)
{
    unsigned beat = records.at->beat;
    double since = now();
    for (int result = 0;;) {
        const pid_t ended = waitpid(child, &result, WNOHANG);
        while (*printed < records.count && records.shape[*printed].done)
            print_shape(records.shape[(*printed)++]);
        if (ended == child) {
            if (WIFEXITED(result) && WEXITSTATUS(result) == 0) return CHILD_FINISHED;
            if (!WIFEXITED(result) || WEXITSTATUS(result) != EXIT_BLAMED)
                blame(records, "the process ended");
            return CHILD_FAILED;
        }
        if (records.at->beat != beat) {
            beat = records.at->beat;
            since = now();
        }
        if (now() > until) {
            end_child(child);
            return OUT_OF_TIME;
        }
        if (now() - since > (records.at->run == AT_START ? START_SECONDS : STEP_SECONDS)) {
            end_child(child);
            blame(records, "hangs");
            return CHILD_FAILED;
        }
        usleep(1000);
    }
}

typedef void measure_shapes(shared_records records, const options &options);

/* Measures the shapes in child processes, one after another if they fail. Returns the number of
 * shapes that were completed and printed, from the first on. */
static size_t measure_in_children(shared_records records, const options &options,
                                  measure_shapes *measure)
{
    const double until = now() + options.seconds;
    size_t printed = options.from;
    watched end = CHILD_FAILED;
    records.at->shape = options.from;
    while (end == CHILD_FAILED && records.at->shape < records.count) {
        records.at->run = AT_START;
        fflush(NULL);
        const pid_t child = fork();
        if (child < 0) break;
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            measure(records, options);
            _exit(0);
        }
        end = watch_child(records, child, until, &printed);
        if (end == CHILD_FAILED && records.at->run == AT_START) break; /* there is no device */
    }
    while (printed < records.count && records.shape[printed].done)
        print_shape(records.shape[printed++]);
    const size_t complete = printed;
    if (printed < records.count &&
        (records.shape[printed].run_count || *records.shape[printed].status))
        print_shape(records.shape[printed]);
    return complete;
}

/* ---- the summary ----------------------------------------------------------------------------- */

/* A shape whose chosen and best choices were timed. */
struct verdict {
    const shape_record *record;
    const run *chosen, *best;
    double chosen_ratio, best_ratio;
};

static bool judge(const shape_record &record, verdict *verdict)
{
    const double library_us = library_time(record);
    *verdict = {&record, NULL, NULL, 0, 0};
    for (int i = LIBRARIES; i < record.run_count; i++) {
        const run *run = &record.run[i];
        if (!is_right(*run)) continue;
        if (run->candidate.chosen) verdict->chosen = run;
        if (!verdict->best || time_of(*run) < time_of(*verdict->best)) verdict->best = run;
    }
    if (!verdict->chosen || library_us <= 0) return false;
    verdict->chosen_ratio = library_us / time_of(*verdict->chosen);
    verdict->best_ratio = library_us / time_of(*verdict->best);
    return true;
}

static void print_verdicts(const std::vector<verdict> &list, const char *title)
{
    printf("# %s:\n", title);
    for (size_t i = 0; i < list.size() && i < 5; i++)
        printf("#   %-18s %.3f %s; best %.3f %s\n", shape_words(list[i].record->sides).c_str(),
               list[i].chosen_ratio, choice_words(list[i].chosen->candidate.choice).c_str(),
               list[i].best_ratio, choice_words(list[i].best->candidate.choice).c_str());
}

static double geometric_mean(const std::vector<verdict> &list, double verdict::*ratio)
{
    double sum = 0;
    for (const verdict &v : list) sum += std::log(v.*ratio);
    return list.empty() ? 0 : std::exp(sum / (double)list.size());
}

/* Times over their estimates, for the choices whose name is this one. */
template <typename Name>
static void print_estimates(shared_records records, size_t end, const char *title, Name name_of)
{
    std::vector<std::pair<std::string, std::vector<double>>> groups;
    for (size_t s = 0; s < end; s++)
        for (int i = LIBRARIES; i < records.shape[s].run_count; i++) {
            const run &run = records.shape[s].run[i];
            if (!is_right(run)) continue;
            const std::string name = name_of(run.candidate.choice);
            auto group = std::find_if(groups.begin(), groups.end(),
                                      [&](const auto &g) { return g.first == name; });
            if (group == groups.end()) group = groups.insert(group, {name, {}});
            group->second.push_back(time_of(run) / run.candidate.choice.time_us);
        }
    std::sort(groups.begin(), groups.end());
    printf("# time / estimate by %s: median; lowest; highest; number\n", title);
    for (const auto &group : groups) {
        const auto range = std::minmax_element(group.second.begin(), group.second.end());
        printf("#   %-24s %.3f %.3f %.3f %d\n", group.first.c_str(), median(group.second),
               *range.first, *range.second, (int)group.second.size());
    }
}

static void print_summary(shared_records records, const options &options, size_t complete)
{
    std::vector<verdict> list;
    std::string unjudged;
    int fastest = 0, troubles = 0;
    const size_t end = std::min(complete + 1, records.count); /* with the one that was begun */
    for (size_t s = 0; s < end; s++) {
        verdict verdict;
        if (judge(records.shape[s], &verdict))
            list.push_back(verdict);
        else if (s < complete && s >= options.from)
            unjudged += " " + shape_words(records.shape[s].sides);
        troubles += *records.shape[s].status != 0;
        for (int i = 0; i < records.shape[s].run_count; i++)
            troubles += *records.shape[s].run[i].status != 0;
    }
    for (const verdict &v : list) fastest += time_of(*v.chosen) <= 1.03 * time_of(*v.best);
    printf("# the choice was the fastest measured, or within 3 %%: %d of %d shapes\n", fastest,
           (int)list.size());
    printf("# geometric mean of the ratio: chosen %.4f; best measured %.4f\n",
           geometric_mean(list, &verdict::chosen_ratio),
           geometric_mean(list, &verdict::best_ratio));
    printf("# rows with a trouble: %d; no right time of the choice or of the library at:%s\n",
           troubles, unjudged.empty() ? " none" : unjudged.c_str());
    std::sort(list.begin(), list.end(),
              [](const verdict &a, const verdict &b) { return a.chosen_ratio < b.chosen_ratio; });
    print_verdicts(list, "lowest ratios of the choice");
    std::sort(list.begin(), list.end(), [](const verdict &a, const verdict &b) {
        return a.chosen_ratio / a.best_ratio < b.chosen_ratio / b.best_ratio;
    });
    print_verdicts(list, "most lost by the choice");
    print_estimates(records, end, "kernel",
                    [](const by_shape_choice &c) { return std::string(kernel_name(c.kernel)); });
    print_estimates(records, end, "tile", tile_name);
    if (complete < records.count)
        printf("# not completed: %d of %d shapes; go on with --from %d\n",
               (int)(records.count - complete), (int)(records.count - options.from), (int)complete);
    fflush(stdout);
}

/* Without a device: the choices and their estimates. */
static void print_choices(const options &options)
{
    printf("shape,choice,chosen,estimate_us\n");
    for (size_t i = options.from; i < options.shapes.size(); i++)
        for (const candidate &c : candidates_of(options.shapes[i], NOMINAL_SMS, options))
            printf("%s,%s,%d,%.2f\n", shape_words(options.shapes[i]).c_str(),
                   choice_words(c.choice).c_str(), c.chosen, c.choice.time_us);
}

#endif
