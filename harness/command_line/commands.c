/*
 * Lists the commands of whyfast: their operands, help and options. Both programs read this table.
 * To add a command: a row here, and its function in the table of command/main.c or
 * gpu_command/main.c.
 */
#include "command_line/arguments.h"

#include "catalog/thresholds.h"

#define SELECTION "size block sweep seed"

const struct command commands[] = {
    {"list", "[families | variants | metrics | NAME...]", "list the families, variants and metrics",
     "Without an operand, lists the families and their variants. With 'metrics', lists every "
     "counter set, counter, fact and metric with its unit and its meaning. With names or globs, "
     "prints the full description of those variants, metrics, checks or causes. Where whyfast-gpu "
     "was not built, the variants are those of the newest recorded run.",
     "csv json"},
    {"new", "FOLDER", "write the folder of a family of your own",
     "Writes a folder that holds a small family with two variants, to be changed: the problem in "
     "family.c, a kernel in each NN_idea.cu. 'whyfast report FOLDER/' compiles and explains it. "
     "--from compiles a CUDA file and takes its kernels instead: a variant for each __global__ "
     "function, and for each use or explicit instantiation of a template, with a remark where "
     "something must be said. NVCC names the compiler, NVCCFLAGS adds flags.",
     "from"},
    {"measure", "[PATTERN...]", "time variants without a profiler; needs a GPU",
     "Verifies and times the variants whose 'family/name' matches a pattern, or all of them; "
     "'reduce/13*@8' selects only setting 8 of a variant. Each is timed with a cold and with a "
     "warm L2 cache, in random order. Also measures the ceilings of the device (ceilings.csv), and "
     "writes a run without counters. --dry-run prints how many points there are, and what time, "
     "memory and disk they take, instead; with --csv, each point with its launches and series.",
     SELECTION " samples seconds device output resume dry-run csv"},
    {"collect", "RUN [FOLDER]", "add hardware counters to a run; needs a GPU and CUPTI",
     "Collects counters for every point that the run measured correctly: counters of whole "
     "launches, counts and samples of single instructions (the set 'lines'), and counters over "
     "time (the sets 'timeline'). Replaces the counters in the run; with -o, writes a copy of the "
     "run instead. A run of a family of your own needs its folder, too.",
     "sets repeats demand-counters device output resume"},
    {"knockout", "RUN | [RUN] PATTERN...", "measure what each cost of a kernel is worth",
     "Copies the machine code of a kernel, takes one cost out of the copy (barriers that do not "
     "wait, accesses to shared memory without their bank conflicts, loads that do nothing), "
     "and times copy and original in turn with the same arguments. Nothing is recompiled: "
     "registers, schedule and occupancy stay. The results of a copy are wrong and are thrown away. "
     "Instructions that decide branches or addresses are left alone. Savings do not add up; 'all' "
     "takes out all memory and barriers at once. With a run alone, adds the table knockouts.csv to "
     "it; with variants, prints their costs. Needs a GPU and nvdisasm. Not for use under "
     "compute-sanitizer, or beside other work on the device.",
     "size sweep block seed cause line device output resume csv json"},
    {"launch", "[PATTERN...]", "launch each variant once, for another profiler",
     "Launches each selected point once after a flush of the L2 cache, verifies it, and prints one "
     "CSV row per launch in launch order. --samples N launches each point N times, because the "
     "first launch of a kernel in a process differs from later ones, and often writes more to "
     "device memory. For use under ncu, nsys or compute-sanitizer, which can select launches by "
     "their NVTX ranges: ncu --nvtx --nvtx-include 'whyfast@reduce\\/03_sequential/'. --dry-run "
     "prints the points and launches without a GPU.",
     SELECTION " samples device dry-run"},
    {"probe", "counts | samples | twins [PATTERN...]",
     "look at single instructions, for collect and knockout",
     "'collect' starts this command as a process for each kernel, because CUPTI counts the "
     "instructions of only one kernel per process. 'counts' prints how often each instruction of "
     "one launch of one point ran. 'samples' prints the stall samples at each instruction, for all "
     "launches of the points of one family and size. 'twins' times copies of one kernel without "
     "one of its costs; --from names the counts. All print CSV.",
     SELECTION " launch from cause line"},
    {"selftest", "[RUN | PATTERN...]", "test this GPU's counters on kernels with known counts",
     "Runs kernels whose counts follow from their code, collects and evaluates their counters like "
     "those of any run, and compares every metric with its known value (metrics/selftest.metric). "
     "Prints for each metric the expected and the measured value, the error, the noise over the "
     "repeats and the verdict. Exits with 1 if a value is wrong. The result is stored, and later "
     "runs on this device with this driver mention it. With patterns, runs only those kernels and "
     "stores nothing. -o keeps the run. With the directory of such a run, judges it again, without "
     "a GPU.",
     "seed repeats device output csv json"},
    {"evaluate", "RUN", "compute the metrics and causes of a run",
     "Computes metrics.csv, noise.csv, kernel_counters.csv and evaluation.csv, which tells the "
     "build that did it, of a run from its raw tables and the records under metrics/. An "
     "impossible value, such as a rate above its peak, is left empty and listed with the reason "
     "in impossible.csv; the exit code is then 1. From these computes speed-ups with intervals, a "
     "verdict on every claim, the metrics that changed beyond their noise, the worth of each "
     "factor of an ablation, the time that each resource alone would need, the cycle ledger, and "
     "how much of each change is due to each cause, as .csv files: steps, verdicts, "
     "published_steps, moved, ablation, demands, ledger, levels, sides, causes, cause_lines, "
     "conflicts, conflict_lines, remains, said and experiments. --metric prints the named metrics "
     "as CSV, or with --json as JSON.",
     "metric device json"},
    {"explain", "[RUN [RUN]] [A] B | [RUN] [FAMILY]", "explain a step, or why two variants differ",
     "Prints the causes of a step: why a variant is faster than its predecessor, as in 'whyfast "
     "explain gemm/06'. With two variants, explains the difference between them in their best "
     "settings. With two runs, compares one variant in both, or a variant of the first with one "
     "of the second. With a family, or with a run alone, prints all steps with their main causes. "
     "Without a run, asks the newest recorded one. Changes no run: one that this build has not "
     "evaluated is evaluated in memory, as far as the question needs; 'lines', 'compare', "
     "'timeline' and 'plot' only warn of it. A variant is named as 'family/name', by its number "
     "('gemm/8'), by a pattern or by the beginning of its name. -v adds the interval, the counter "
     "and the smallest causes.",
     "device size csv json"},
    {"plot", "RUN", "draw the charts of a run",
     "Draws the pictures under plots/ from an explained run into its charts/, as SVG and PNG: each "
     "family at its primary size, or at the sizes given by --size. If the run is too large to be "
     "shown in full, draws only the selection that the report shows. Warns of each picture "
     "that cannot be drawn, draws all others, and ends with 1. Needs gnuplot.",
     "device size"},
    {"run", "-- PROGRAM [ARGUMENT...]", "explain the kernels of any CUDA program; needs a GPU",
     "Starts an unmodified program with a library in it that records its kernels, and writes a run "
     "directory with each kernel as a variant. The first start has the terminal and gives times; "
     "a second one gives the noise floor and stall samples; further ones collect counters, each "
     "launch in one of their passes, and count instructions, one kernel each, unless a start "
     "takes " PROGRAM_LONG_TEXT " s or more (--budget counts them). With "
     "--replay-launches, a kernel of few launches has one of them replayed by CUPTI, which saves "
     "memory and restores it; counters that this would falsify are of a start without replay. If "
     "a replay fails, or the program then prints something else or ends with another status, its "
     "launches are not replayed. A kernel that takes less than " PROGRAM_MINOR_TEXT
     " % of the selected time is given "
     "no start of its own; with --knockout its instructions are counted nevertheless, in a start, "
     "if --kernel or --range asks for it. The output of later starts goes to output/ in the run. "
     "Input from a pipe or a file is given again; instead of a terminal later starts have an empty "
     "input. "
     "Kernels that differ in grid, block or shared memory are told apart. By default those are "
     "kept that make up " PROGRAM_KEPT_TEXT
     " % of the GPU's time ('--kernel .' keeps all). --knockout measures the "
     "costs of the kernels on copies of their machine code (see knockout), in one more start of "
     "each process; kernels of vendor libraries are not copied. The exit status is that of the "
     "program's first start; failures of whyfast are 125, a program that cannot be executed 126, "
     "one that is not found 127. Environment variables are not recorded. The table of kernels goes "
     "to stderr, also with --csv or --json, because stdout is the program's; -q leaves only the "
     "latter.",
     "device output kernel range by skip count process bytes knockout once budget replay-launches "
     "no-counters no-arguments csv json"},
    {"report", "[RUN | FOLDER | PATTERN...]", "measure, explain and write the report",
     "Measures this machine's GPU and writes a quick report: every ladder at its primary size, "
     "with all counters, in two to three minutes; it knocks out the costs of the fastest rungs and "
     "of the largest steps. --full measures all sizes and the rungs beside the ladders, knocks out "
     "the costs of every rung, and adds the timeline and the instructions of ablation grids. "
     "Without a GPU, or with --replay, replays a recorded run and says so. With the directory of a "
     "run, reports that run again, and each device of a merged run. A folder that holds family.c "
     "is compiled and measured like a family of the tree ('whyfast new'). --dry-run prints what "
     "would be done on a machine with a GPU; combined with --replay or a run, it prints what would "
     "be done with that run. A picture that cannot be drawn is a warning and a gap.",
     SELECTION " samples seconds sets repeats demand-counters no-counters output resume "
               "replay full raw single-file device dry-run csv"},
    {"open", "[DIRECTORY]", "show a report in a browser",
     "Opens the report in a directory, by default whyfast-report, or else build/report of make, by "
     "xdg-open. Prints its path "
     "instead if there is no display or no such program.",
     ""},
    {"lines", "[RUN] VARIANT [VARIANT]", "show a kernel's source with the counts of each line",
     "Prints the source of a variant's kernel with the counts and samples of each line: bank "
     "conflicts, stall samples, instructions, active lanes. Instructions from toolkit headers are "
     "charged to the line of the project that uses them. Shows only the hot lines: those "
     "with " SHOWN_LINE_TEXT " % "
     "of the samples or of the conflicts. With a second variant, says first why it is faster, and "
     "what differs; its source is shown beside the first, or below it on a narrow terminal. A "
     "variant is named as 'family/name', by its number ('gemm/8'), by a pattern or by the "
     "beginning of its name. Without a run, shows the newest recorded one. --metric chooses the "
     "columns: ways, excess, wavefronts, ideal, pipe, samples, reason, not_issued, executed, "
     "lanes, threads, branches, divergent, global_sectors, global_excess, local_sectors, "
     "instructions. A narrow terminal shows as many of them as fit, from the left. k, M and G mean "
     "10^3, 10^6 and 10^9; --csv prints all digits.",
     "all metric sort sass banks device size block sweep launch csv json"},
    {"conflicts", "[RUN] [PATTERN...]", "rank kernels by the time that bank conflicts cost",
     "Ranks the kernels of an explained run by the time that bank conflicts of shared memory cost "
     "them, each with the source line that is worst; then shows the lines of the first three, or "
     "with -v or patterns of all, with the excess wavefronts by kind of access and how many ways "
     "the accesses conflict. The cost is the time that the kernel would save without them, "
     "measured or estimated. Every family is shown at its primary size unless --size is "
     "given. 'lines --banks' shows the banks that the lanes "
     "of a kernel access. Without a run, shows the newest recorded one.",
     "device size csv json"},
    {"timeline", "[RUN] [PATTERN...]", "write a run's timeline for Perfetto",
     "Writes a run as a trace in the Chrome trace event format, which ui.perfetto.dev and "
     "chrome://tracing open: the stages of the program and, for each family, its kernels with "
     "their launches and metrics, and its counters over time. Writes to stdout unless that is a "
     "terminal, or with -o to a file. Patterns and sizes choose kernels. Without a run, shows the "
     "newest recorded one.",
     "device size output"},
    {"compare", "RUN1 RUN2 [PATTERN...]", "find variants that became slower or faster; a CI gate",
     "Compares the clean times of two evaluated runs, point by point, each variant in its best "
     "setting, as the ratio of the second time to the first with its 95 % interval. A point is "
     "'slower' or 'faster' if the whole interval lies beyond the noise floor of both runs; "
     "otherwise there is no evidence. Says whether the machine code is the same, and warns if "
     "devices, drivers or clocks differ. Of two devices, compares their rates, and says of each "
     "point what limits it, how many times faster that is on the second device, and what the "
     "kernel "
     "does more or less of there. Exits with 1 if a point is slower, or if a result that was right "
     "is wrong now; with 7 if the runs share no point. -v also lists the points without evidence.",
     "device size threshold all-settings gates junit csv json"},
    {"diff", "A [B] [-- PROGRAM_OR_ARGUMENT...]", "say which of two versions is faster, and why",
     "A and B are CUDA files, folders of them, programs, or revisions of git; without B, A is "
     "a revision and B the working tree. Compiles what must be compiled (with NVCCFLAGS), starts "
     "both in turn, compares their results, measures both in one run, and explains the difference "
     "of the kernels with the most time. Words behind '--' are the arguments of both programs; of "
     "revisions, and of folders with --build, the first of them is the program, or a CUDA file. "
     "A file without main() is called from its kernels' signatures: the calls are printed, and "
     "--call and --size change them; the arrays that the kernels write are compared. Programs are "
     "compared by what they print, without lines about times. Kernels are paired by their names, "
     "then by grid and order, and if one of each is left, with each other; FILE:KERNEL names one. "
     "--dry-run compiles both and prints the calls. --knockout measures the causes on copies of "
     "the machine code (see knockout), in one more start of each version, for the pair of kernels "
     "with the most time and for the pair whose time changed most. "
     "Exits with 1 if B is slower or wrong, with 7 if the two cannot be compared. Needs a GPU.",
     "build call size kernel no-compare no-counters knockout device output dry-run csv json"},
    {"bisect", "-- PROGRAM [ARGUMENT...]",
     "find the first commit that made kernels slower, and why",
     "Builds commits from --good to --bad, first parents only, in two directories of its own, "
     "which keep what was built there, and reads the machine code of the kernels from the program, "
     "or from the objects beside it. A commit whose machine code is that of one that is judged "
     "already is not measured. The others are compared with the good one, and are slower if 'diff' "
     "says so: beyond the noise floor. Prints the first slower commit, and by 'diff' against the "
     "commit before it the causes and their lines; -o keeps that run. A commit that cannot be "
     "built is skipped. nvcc is told by NVCC_APPEND_FLAGS to compress nothing and to write line "
     "tables. Launches and constants are no machine code: of a change in these, 'diff' of both "
     "revisions tells. With --dry-run, or without a GPU, builds all commits, and lists those that "
     "change the machine code, with the instructions. Exits with 1 if a commit is found, with 0 if "
     "none is slower, with 3 if measuring is needed and there is no GPU, with 7 if an end cannot "
     "be built or compared.",
     "good bad build kernel no-counters device output dry-run csv json"},
    {"verify", "RUN1 RUN2 [PATTERN...] | A [B] [-- WORD...]",
     "whether a change made kernels faster, in one word; for scripts",
     "Compares two evaluated runs as 'compare' does, or measures two versions as 'diff' does, and "
     "answers with one word: faster, slower, no evidence, wrong or not comparable. Below it: the "
     "times with their 95 % intervals and the noise floor; what else than the code can have "
     "changed them: inputs, sizes, results, device, clock, points whose machine code is the same, "
     "the revision of whyfast; the causes of the largest change, their counters and lines; and "
     "what could still be gained, at most; without evidence of a change, no causes. Exits with 0 "
     "if something is faster and nothing slower, 1 if something is slower or wrong, 6 if there is "
     "no evidence of a change, 7 if the two cannot be compared: because of other inputs, sizes or "
     "devices, or because nothing was measured in both. Two versions need a GPU. -v also lists "
     "what did not change.",
     "build call size kernel no-compare no-counters knockout device output dry-run csv json"},
    {"merge", "RUN...", "make one run of many devices, hosts or days",
     "Merges runs into a new one at -o: an ordinary run for each device, in devices/0, devices/1 "
     "and so on, and the table devices.csv about them. Runs of the same device (the same UUID), "
     "such as the parts of a long measurement, become one: the union of their rows. Runs that "
     "contradict each other are refused with the row that says why, and nothing is written: the "
     "same row with another value, another revision of the program, other machine code, other "
     "seeds of the inputs. --no-serials leaves out UUIDs and names of hosts. All commands about "
     "one run take --device to choose a device of a merged run by its number, its label or its "
     "UUID; 'report' and 'evaluate' do all devices, and 'compare' takes two.",
     "output no-serials"},
    {"import", "FILE.ncu-rep...", "make a run of reports of Nsight Compute",
     "Reads reports of Nsight Compute (.ncu-rep, .ncu-repz) and writes a run at -o for all "
     "commands about a run: the program is a family, each kernel with its launch shape a variant, "
     "each launch a sample; of several files, each is a family. A report may stand wherever a run "
     "may, as in 'whyfast explain before.ncu-rep after.ncu-rep KERNEL'. Times are ncu's, of "
     "replayed launches, with the caches and clocks that ncu set: by default it flushes the caches "
     "and locks the clocks, which do not stay the same on every GPU. A single launch has no noise "
     "floor. What a report lacks is absent, and the causes that it would show are found by their "
     "waits or not at all. Needs no GPU and no Nsight Compute.",
     "output csv json"},
    {"sections", "", "write a section file for Nsight Compute",
     "Writes the file Whyfast.section, which has ncu collect every metric that the account of a "
     "change needs, to the directory at -o, or to stdout. With it, 'ncu --section-folder DIRECTORY "
     "--section Whyfast -o FILE PROGRAM' makes reports that lack only what the chip does not count "
     "and what ncu does not measure: ceilings, knock-outs and the useful work of the problem.",
     "output"},
    {"boards", "RUN", "compare the boards of a merged run",
     "Prints bandwidth, arithmetic rates, clock, power, temperature, noise and self-test of each "
     "device of a merged run, the fastest of each kind first. An arrow marks an outlier: a value "
     "that differs from the median of the same kind of device beyond its interval and the spread "
     "of the others. Below, each outlier is a sentence with its interval and with what else is "
     "different: ECC, power limit, throttle reasons, remapped rows, PCIe, driver. Neither of two "
     "boards of a kind is an outlier: a sentence says by how much they differ. 'merge' and "
     "'report' write the same as a page, index.html, and as a table, boards.csv.",
     "csv json"},
    {"doctor", "[FILE.ncu-rep...]", "check this machine and print a fix for every problem",
     "Checks everything that measuring, counting, drawing and replaying need, and everything that "
     "disturbs times: the driver, the GPU, CUPTI and the system. Prints one line for each check: "
     "its name; 'ok', 'note' (works, with limits), 'bad' (this part of the program will not work) "
     "or 'skipped' (cannot be checked here); the finding; and the fix. To test the counters, a "
     "profiling session is opened and closed. Exits with 1 if a check is bad. The lack of a GPU is "
     "not bad, because recorded runs can be replayed. With reports of Nsight Compute, checks them "
     "instead: values that are missing, impossible or contradict each other, sections that explain "
     "would need, and clocks and caches that make times incomparable.",
     "csv json output"},
    {"mcp", "", "serve these commands to agents (Model Context Protocol)",
     "Answers on stdin and stdout the requests of a client of the Model Context Protocol, as a "
     "local server that the client starts. The tools doctor, run, diff, verify, evaluate, "
     "explain, lines and conflicts are the commands of these names. An answer has at "
     "most " MCP_ANSWER_TEXT " kB, "
     "unless 'detail' is asked for. Long work tells its progress and can be cancelled. It takes "
     "files and programs from the folder alone in which it was started, and never uses a shell; "
     "the programs that it runs there may do what you may. Calls run one after the other.",
     ""},
    {"skill", "", "print a recipe for agents",
     "Prints, as Markdown, when to measure, what the words of the answers mean, and when to stop; "
     "a client of 'whyfast mcp' is given the same text.",
     ""},
    {"help", "[COMMAND]", "describe a command",
     "Describes a command; --man prints the manual page.", "man completion"},
    {"version", "", "print the version",
     "Prints the version, the revision and the CUDA toolkit of the build.", ""},
    {NULL, NULL, NULL, NULL, NULL},
};
