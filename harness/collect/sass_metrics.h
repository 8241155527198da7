/*
 * Names the SASS metrics of CUPTI for each count per instruction. They are the same on all chips
 * whose code CUPTI can patch.
 */
#ifndef WHYFAST_COLLECT_SASS_METRICS_H
#define WHYFAST_COLLECT_SASS_METRICS_H

#include "collect/probe_results.h"

static const char *const sass_metric_name[INSTRUCTION_COUNTS] = {
    [COUNT_EXECUTED] = "smsp__sass_inst_executed",
    [COUNT_THREADS] = "smsp__sass_thread_inst_executed",
    [COUNT_THREADS_ON] = "smsp__sass_thread_inst_executed_pred_on",
    [COUNT_BRANCHES_UNIFORM] = "smsp__sass_branch_targets_threads_uniform",
    [COUNT_BRANCHES_DIVERGENT] = "smsp__sass_branch_targets_threads_divergent",
    [COUNT_SHARED_WAVEFRONTS] = "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
    [COUNT_SHARED_IDEAL] = "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
    [COUNT_GLOBAL_SECTORS] = "smsp__sass_sectors_mem_global",
    [COUNT_GLOBAL_IDEAL] = "smsp__sass_sectors_mem_global_ideal",
    [COUNT_LOCAL_SECTORS] = "smsp__sass_sectors_mem_local",
};

#endif
