/*
 * Defines the metrics of the fake CUPTI: the work of kernels according to the fake runtime, under
 * the names of counters.
 */
#include <math.h>
#include <string.h>

#include "cupti.h"

void fake_cupti_add_cost(struct fake_cost *to, const struct fake_cost *from, double share)
{
    const double *what = (const double *)from;
    double *sum = (double *)to;
    for (size_t i = 0; i < sizeof *to / sizeof *sum; i++) sum[i] += share * what[i];
}

struct metric {
    const char *name;
    double value;
};

static double ratio(double a, double b)
{
    return a / b; /* as in CUPTI, 0/0 is not a number */
}

enum { MOST_METRICS = 160 };

/* Lists every metric with its value and returns their number. To add a metric: a row here. */
static size_t metric_values(const struct totals *t, struct metric list[MOST_METRICS])
{
    const struct fake_cost *c = &t->cost;
    const double schedulers = FAKE_SMS * FAKE_SCHEDULERS,
                 scheduler_cycles = schedulers * t->cycles_active, seconds = t->ns / 1e9;
    const double warps = fmin(8, ratio(c->warps, schedulers)),
                 dram = c->dram_read_bytes + c->dram_written_bytes;
    const double wavefronts = c->shared_load_wavefronts + c->shared_store_wavefronts,
                 threads = 32 * c->instructions;
    /* Warps resident per issue: one issues, the others are counted by their stall reason. */
    const double per_issue = 1 + ratio(warps * scheduler_cycles, c->instructions),
                 waiting = per_issue - 1;
    const double global = c->global_loads + c->global_stores,
                 shared = c->shared_loads + c->shared_stores;
    const double peak_dram = FAKE_DRAM_BYTES_PER_CYCLE;
    const struct metric rows[] = {
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
         c->shared_load_wavefronts - c->shared_loads},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
         c->shared_store_wavefronts - c->shared_stores},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", wavefronts - shared},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.avg.per_cycle_elapsed",
         ratio((wavefronts - shared) / FAKE_SMS, t->cycles)},
        {"l1tex__data_bank_conflicts_type_arbitration.sum", 0},
        {"smsp__inst_executed_op_shared_ld.sum", c->shared_loads},
        {"smsp__inst_executed_op_shared_st.sum", c->shared_stores},
        {"sm__warps_active.avg.pct_of_peak_sustained_active", 100 * warps / 16},
        {"sm__warps_active.avg.per_cycle_elapsed",
         ratio(warps * FAKE_SCHEDULERS * t->cycles_active, t->cycles)},
        {"dram__bytes_read.sum", c->dram_read_bytes},
        {"dram__bytes_write.sum", c->dram_written_bytes},
        {"dram__bytes.sum", dram},
        {"dram__bytes.sum.per_second", ratio(dram, seconds)},
        {"dram__bytes.sum.peak_sustained", peak_dram},
        {"dram__bytes.sum.peak_sustained_elapsed.per_second", peak_dram * FAKE_MHZ * 1e6},
        {"dram__cycles_elapsed.avg.per_second", FAKE_MHZ * 1e6},
        {"dram__throughput.avg.pct_of_peak_sustained_elapsed",
         100 * ratio(dram, peak_dram * t->cycles)},
        {"gpu__time_duration.sum", t->ns},
        {"sm__cycles_active.avg", t->cycles_active},
        {"sm__cycles_active.max", t->cycles_active},
        {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
         100 * ratio(t->cycles_active, t->cycles)},
        {"sm__cycles_elapsed.max", t->cycles},
        {"sm__cycles_elapsed.avg.per_second", ratio(t->cycles, seconds)},
        {"sm__inst_executed.sum", c->instructions},
        {"sm__inst_executed_pipe_alu.sum", c->instructions / 2},
        {"sm__inst_executed_pipe_alu.sum.peak_sustained", 2 * FAKE_SMS},
        {"sm__inst_executed_pipe_lsu.sum", shared + global},
        {"sm__inst_executed_pipe_xu.sum", 0},
        {"sm__inst_executed_pipe_tensor.sum", 0},
        {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", 0},
        {"sm__pipe_tensor_cycles_active.sum", 0},
        {"sm__ops_path_tensor_op_hmma_src_bf16_dst_fp32_sparsity_off.sum", 0},
        {"sm__ops_path_tensor_op_hmma_src_tf32_dst_fp32_sparsity_off.sum", 0},
        {"sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum", 0},
        {"sm__ops_path_tensor_op_hgmma_src_tf32_dst_fp32_sparsity_off.sum", 0},
        {"sm__ops_path_tensor_op_hgmma_src_fp16_sparsity_off.sum", 0},
        {"sm__ops_path_tensor_op_hmma_src_bf16_dst_fp32_sparsity_off.sum.peak_sustained",
         FAKE_MMA_PEAK * FAKE_SMS},
        {"sm__ops_path_tensor_op_hmma_src_tf32_dst_fp32_sparsity_off.sum.peak_sustained",
         FAKE_MMA_PEAK * FAKE_SMS / 2},
        {"sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum.peak_sustained",
         FAKE_WGMMA_PEAK * FAKE_SMS},
        {"sm__ops_path_tensor_op_hgmma_src_tf32_dst_fp32_sparsity_off.sum.peak_sustained",
         FAKE_WGMMA_PEAK * FAKE_SMS / 2},
        {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum", 0},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_gmma.sum", 0},
        {"sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum", 0},
        {"smsp__sass_inst_executed_op_shared_gmma.sum", 0},
        {"smsp__sass_data_bytes_mem_shared_op_gmma.sum", 0},
        {"smsp__sass_average_branch_targets_threads_uniform.pct",
         100 * (1 - ratio(c->divergent_branches, c->branches))},
        {"smsp__sass_branch_targets.sum", c->branches},
        {"smsp__sass_branch_targets_threads_uniform.sum", c->branches - c->divergent_branches},
        {"smsp__sass_branch_targets_threads_divergent.sum", c->divergent_branches},
        {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
         c->shared_load_wavefronts},
        {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
         c->shared_store_wavefronts},
        {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum", 0},
        {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts_cache_bypass.sum", 0},
        {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", 0},
        {"smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum", 0},
        {"smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum", 0},
        {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum", 0},
        {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm.sum", 0},
        {"smsp__sass_inst_executed_op_ldsm.sum", 0},
        {"smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_stsm.sum", 0},
        {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum", wavefronts},
        {"l1tex__data_pipe_lsu_wavefronts.sum", wavefronts + global},
        {"l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.per_cycle_elapsed",
         ratio(wavefronts / FAKE_SMS, t->cycles)},
        {"smsp__sass_inst_executed_op_shared_ld.sum", c->shared_loads},
        {"smsp__sass_inst_executed_op_shared_st.sum", c->shared_stores},
        {"smsp__sass_inst_executed_op_shared.sum", shared},
        {"smsp__sass_inst_executed_op_shared_atom.sum", 0},
        {"smsp__sass_inst_executed_op_global.sum", global},
        {"smsp__sass_inst_executed_op_global_ld.sum", c->global_loads},
        {"smsp__sass_inst_executed_op_global_st.sum", c->global_stores},
        {"smsp__sass_inst_executed_op_global_atom.sum", 0},
        {"smsp__sass_inst_executed_op_global_red.sum", 0},
        {"smsp__sass_inst_executed_op_local.sum", 0},
        {"smsp__sass_inst_executed_op_branch.sum", c->branches},
        {"smsp__sass_inst_executed_op_ldgsts.sum", 0},
        {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum", 0},
        {"smsp__sass_l1tex_tags_mem_global.sum",
         (c->global_load_bytes + c->global_store_bytes) / 128},
        {"smsp__sass_data_bytes_mem_global_op_ldgsts.sum", 0},
        {"smsp__sass_data_bytes_mem_shared.sum", 128 * shared},
        {"smsp__sass_data_bytes_mem_shared_op_ld.sum", 128 * c->shared_loads},
        {"smsp__sass_data_bytes_mem_shared_op_st.sum", 128 * c->shared_stores},
        {"smsp__sass_data_bytes_mem_shared_op_atom.sum", 0},
        {"smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct",
         100 * ratio(shared, wavefronts)},
        {"smsp__sass_data_bytes_mem_global_op_ld.sum", c->global_load_bytes},
        {"smsp__sass_data_bytes_mem_global_op_st.sum", c->global_store_bytes},
        {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum", c->global_load_bytes / 32},
        {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum", c->global_store_bytes / 32},
        {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_local_op_ld.sum", 0},
        {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_local_op_st.sum", 0},
        {"smsp__sass_thread_inst_executed.sum", threads},
        {"smsp__sass_thread_inst_executed_pred_on.sum", 0.9 * threads},
        {"smsp__sass_inst_executed.sum", c->instructions},
        {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 0},
        {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", 128 * FAKE_SMS},
        {"sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained", 64 * FAKE_SMS},
        {"sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained", 256 * FAKE_SMS},
        {"lts__t_sectors_srcunit_tex.sum.peak_sustained", 2 * FAKE_SMS},
        {"lts__t_sectors_srcunit_tex.sum", (c->global_load_bytes + c->global_store_bytes) / 32},
        {"lts__t_sectors.sum", (c->global_load_bytes + c->global_store_bytes) / 32},
        {"lts__t_bytes.sum", c->global_load_bytes + c->global_store_bytes},
        {"lts__d_atomic_input_cycles_active.sum", 0},
        {"lts__d_atomic_input_cycles_active.max", 0},
        {"lts__cycles_elapsed.max", t->cycles},
        {"l1tex__t_bytes.sum", c->global_load_bytes + c->global_store_bytes},
        {"smsp__cycles_active.sum", scheduler_cycles},
        {"smsp__issue_active.sum", c->instructions},
        {"smsp__issue_inst0.sum", scheduler_cycles - c->instructions},
        {"smsp__issue_active.avg.pct_of_peak_sustained_active",
         100 * ratio(c->instructions, scheduler_cycles)},
        {"smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
         100 * ratio(c->instructions, schedulers * t->cycles)},
        {"smsp__average_warps_active_per_issue_active.ratio", per_issue},
        {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 0.2 * waiting},
        {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 0.5 * waiting},
        {"smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
         0.1 * waiting},
        {"smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio", 0.05 * waiting},
        {"smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", 0},
        {"smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
         0.05 * waiting},
        {"smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio", 0},
        {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 0.05 * waiting},
        {"smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio", 0.05 * waiting},
        {"smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio", 0},
        {"smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio", 0},
        {"smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio", 0},
    };
    _Static_assert(sizeof rows <= MOST_METRICS * sizeof *list, "room for all metrics");
    memcpy(list, rows, sizeof rows);
    return sizeof rows / sizeof *rows;
}

int fake_cupti_find_metric(const struct totals *totals, const char *name, double *value)
{
    struct metric list[MOST_METRICS];
    const size_t count = metric_values(totals, list);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name)) continue;
        *value = list[i].value;
        return 1;
    }
    return 0;
}
