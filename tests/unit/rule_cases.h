/*
 * Makes every rule under metrics/ fire on one hand-made row of the ladder and stay silent on
 * another. To add a rule: its two rows here. Values that a row does not name are absent.
 */
#ifndef TESTS_UNIT_RULE_CASES_H
#define TESTS_UNIT_RULE_CASES_H

static const struct {
    const char *rule;
    const char *fires; /* for a rule under another: in addition to that one's values */
    const char *silent;
} rows[] = {
    {"no_divergence_removed",
     "100 AS branch_efficiency_pct, 100 AS prev_branch_efficiency_pct, 70.0 AS predicated_on_pct, "
     "91.0 AS "
     "prev_predicated_on_pct, 50.0 AS warp_instructions, 100.0 AS prev_warp_instructions",
     "100 AS branch_efficiency_pct, 71.0 AS prev_branch_efficiency_pct, 70.0 AS predicated_on_pct, "
     "91.0 AS "
     "prev_predicated_on_pct, 50.0 AS warp_instructions, 100.0 AS prev_warp_instructions"},
    {"divergent_branches", "78.0 AS branch_efficiency_pct, 84.8 AS warp_execution_efficiency_pct",
     "97.0 AS branch_efficiency_pct, 84.8 AS warp_execution_efficiency_pct"},
    {"few_active_lanes", "99.85 AS branch_efficiency_pct, 39.0 AS warp_execution_efficiency_pct",
     "78.0 AS branch_efficiency_pct, 39.0 AS warp_execution_efficiency_pct"},
    {"idle_by_predication", "100.0 AS branch_efficiency_pct, 60.0 AS predicated_on_pct",
     "90.0 AS branch_efficiency_pct, 60.0 AS predicated_on_pct"},
    {"fewer_instructions",
     "70.0 AS prev_issue_slot_pct, 50.0 AS warp_instructions, 100.0 AS prev_warp_instructions, 9.0 "
     "AS "
     "lane_slots_per_operation, 18.0 AS prev_lane_slots_per_operation",
     "70.0 AS prev_issue_slot_pct, 95.0 AS warp_instructions, 100.0 AS prev_warp_instructions"},
    {"fewer_blocks", "64.0 AS grid_blocks, 128.0 AS prev_grid_blocks",
     "128.0 AS grid_blocks, 128.0 AS prev_grid_blocks"},
    {"issue_bound", "80.0 AS issue_slot_pct, 20.0 AS dram_pct_peak",
     "80.0 AS issue_slot_pct, 90.0 AS dram_pct_peak"},
    {"ancillary_instructions", "250.0 AS lane_slots_per_operation",
     "2.2 AS lane_slots_per_operation"},
    {"conflicts_came",
     "1680.0 AS shared_excess_least, 1680.0 AS shared_excess_wavefronts, 0.0 AS "
     "prev_shared_excess_least, 3.3 AS "
     "shared_conflict_ways, 26.0 AS shared_excess_pct",
     "1680.0 AS shared_excess_least, 1680.0 AS prev_shared_excess_least"},
    {"fewer_conflicts",
     "100.0 AS shared_excess_least, 1680.0 AS prev_shared_excess_least, 1.6 AS shared_excess_pct, "
     "27.0 AS prev_shared_excess_pct",
     /* disappeared completely */
     "0.0 AS shared_excess_least, 1680.0 AS prev_shared_excess_least"},
    {"conflicts_gone",
     "0.0 AS shared_excess_least, 1680.0 AS prev_shared_excess_least, 77.0 AS shared_conflicts_hw",
     /* some are left */
     "64.0 AS shared_excess_least, 1680.0 AS prev_shared_excess_least"},
    {"conflicts_cost",
     "26.0 AS shared_excess_pct, 37.0 AS shared_pipe_pct, 1680.0 AS shared_excess_least",
     "3.4 AS shared_excess_pct, 48.0 AS shared_pipe_pct"},
    {"shared_pipe_bound", "85.0 AS shared_pipe_pct, 0.0 AS shared_excess_pct",
     "81.0 AS shared_pipe_pct, 32.0 AS shared_excess_pct"},
    {"dram_bound", "92.0 AS dram_pct_peak, 4400.0 AS dram_gbs, 4800.0 AS dram_peak_gbs",
     "50.0 AS dram_pct_peak"},
    {"write_bound", "900.0 AS dram_write_bytes, 100.0 AS dram_read_bytes, 88.0 AS dram_pct_peak",
     "40.0 AS dram_write_bytes, 60.0 AS dram_read_bytes, 88.0 AS dram_pct_peak"},
    {"latency_bound",
     "30.0 AS issue_slot_pct, 40.0 AS dram_pct_peak, 42.0 AS dram_busy_pct, 4.0 AS sm_idle_pct",
     /* while SMs hold warps, memory is at its limit */
     "7.0 AS issue_slot_pct, 69.0 AS dram_pct_peak, 90.5 AS dram_busy_pct, 23.0 AS sm_idle_pct"},
    {"few_bytes_in_flight",
     "14.4 AS stall_long_scoreboard, 0.0 AS stall_lg_throttle, 25.1 AS stall_total, 1.5 AS "
     "l2_per_dram_byte, 4096.0 AS "
     "grid_blocks, 132.0 AS sm_count, 26.0 AS warps_waiting_global",
     /* the queue is full: there are enough */
     "88.0 AS stall_long_scoreboard, 80.0 AS stall_lg_throttle, 171.0 AS stall_total, 1.7 AS "
     "l2_per_dram_byte, 1056.0 AS "
     "grid_blocks, 132.0 AS sm_count"},
    {"load_queue_full",
     "88.0 AS stall_long_scoreboard, 397.0 AS stall_lg_throttle, 506.0 AS stall_total, 2.3 AS "
     "issue_active_pct, 52.0 AS "
     "dram_busy_pct, 50.0 AS dram_pct_peak, 32.0 AS sectors_per_request",
     /* device memory is at its limit, which the queue shows */
     "68.0 AS stall_long_scoreboard, 82.0 AS stall_lg_throttle, 167.0 AS stall_total, 8.3 AS "
     "issue_active_pct, 95.0 AS "
     "dram_busy_pct"},
    {"waits_for_cache",
     "38.0 AS stall_long_scoreboard, 47.0 AS stall_total, 59.0 AS l2_per_dram_byte, 8900.0 AS "
     "l1_bytes, 6800.0 AS l2_bytes, "
     "33.0 AS issue_active_pct, 2.0 AS time_ns, 2.4 AS dram_pct_peak",
     "38.0 AS stall_long_scoreboard, 47.0 AS stall_total, 1.5 AS l2_per_dram_byte, 8900.0 AS "
     "l1_bytes, 6800.0 AS l2_bytes, "
     "33.0 AS issue_active_pct"},
    {"uncoalesced",
     "128.0 AS global_load_bytes, 32.0 AS global_load_sectors, 1.0 AS global_load_instructions, "
     "32.0 AS sectors_per_request, "
     "12.5 AS global_sector_use_pct, 28.0 AS global_excess_sectors, 1.5 AS "
     "dram_read_per_useful_byte",
     /* all lanes read one word */
     "4.0 AS global_load_bytes, 1.0 AS global_load_sectors, 1.0 AS global_load_instructions"},
    {"better_coalesced",
     "128.0 AS global_load_bytes, 4.0 AS global_load_sectors, 128.0 AS prev_global_load_bytes, "
     "32.0 AS "
     "prev_global_load_sectors, 100.0 AS global_sector_use_pct, 12.5 AS "
     "prev_global_sector_use_pct, 4.0 AS "
     "sectors_per_request, 32.0 AS prev_sectors_per_request",
     /* no loads at all any more: copies */
     "0.0 AS global_load_bytes, 0.0 AS global_load_sectors, 128.0 AS prev_global_load_bytes, 32.0 "
     "AS prev_global_load_sectors"},
    {"reads_again", "1.9 AS dram_read_per_useful_byte", "1.0 AS dram_read_per_useful_byte"},
    {"local_memory",
     "65.0 AS local_bytes_per_useful_byte, 272.0 AS local_sectors, 16.0 AS local_bytes",
     "0.0 AS local_bytes_per_useful_byte"},
    {"local_memory_gone",
     "0.0 AS local_sectors, 65.0 AS prev_local_bytes_per_useful_byte, 272.0 AS prev_local_sectors, "
     "22.0 AS registers, 14.0 AS "
     "prev_registers",
     "0.0 AS local_sectors, 0.0 AS prev_local_bytes_per_useful_byte"},
    {"few_blocks", "64.0 AS grid_blocks, 132.0 AS sm_count",
     "132.0 AS grid_blocks, 132.0 AS sm_count"},
    {"low_residency",
     "25.0 AS theoretical_occupancy_pct, 3.9 AS waves, 59.0 AS issue_active_pct, 2.0 AS "
     "dram_busy_pct, 2.0 AS blocks_per_sm, "
     "256.0 AS block_threads",
     /* as many blocks as can be resident, and the issue slots are busy */
     "18.75 AS theoretical_occupancy_pct, 1.0 AS waves, 92.6 AS issue_active_pct, 5.0 AS "
     "dram_busy_pct"},
    {"registers_limit",
     "1.0 AS limited_by_registers, 127.0 AS registers, 254.0 AS resident_register_kib, 256.0 AS "
     "register_file_kib",
     "0.0 AS limited_by_registers"},
    {"shared_memory_limit",
     "1.0 AS limited_by_shared_memory, 193.0 AS resident_shared_kib, 228.0 AS shared_memory_kib",
     "0.0 AS limited_by_shared_memory"},
    {"block_size_limit",
     "1.0 AS limited_by_blocks, 0.0 AS limited_by_warps, 512.0 AS resident_threads",
     "0.0 AS limited_by_blocks, 0.0 AS limited_by_warps"},
    {"occupancy_not_reached",
     "72.0 AS achieved_occupancy_pct, 100.0 AS theoretical_occupancy_pct, 248.0 AS waves, 45.0 AS "
     "issue_active_pct, 49.0 AS "
     "dram_busy_pct",
     /* fewer blocks than places */
     "47.0 AS achieved_occupancy_pct, 100.0 AS theoretical_occupancy_pct, 0.48 AS waves, 10.0 AS "
     "issue_active_pct, 69.0 AS "
     "dram_busy_pct"},
    {"wave_not_full",
     "0.48 AS waves, 512.0 AS grid_blocks, 132.0 AS sm_count, 11.0 AS issue_active_pct, 73.0 AS "
     "dram_busy_pct, 39.0 AS "
     "dram_pct_peak, 8.0 AS blocks_per_sm",
     /* and they suffice */
     "0.48 AS waves, 512.0 AS grid_blocks, 132.0 AS sm_count, 10.0 AS issue_active_pct, 98.0 AS "
     "dram_busy_pct"},
    {"broken_wave", "1.333 AS waves", "0.997 AS waves"},
    {"uneven_load", "77.0 AS sm_coverage_pct, 1024.0 AS grid_blocks, 132.0 AS sm_count",
     /* too few blocks is another rule */
     "12.0 AS sm_coverage_pct, 16.0 AS grid_blocks, 132.0 AS sm_count"},
    {"launch_bound",
     "47.0 AS sm_idle_pct, 512.0 AS grid_blocks, 132.0 AS sm_count, 9000.0 AS time_ns, 1280.0 AS "
     "event_overhead_ns",
     "5.0 AS sm_idle_pct, 512.0 AS grid_blocks, 132.0 AS sm_count"},
    {"launch_floor", "3580.0 AS ceiling_launch_ns, 5000.0 AS time_ns",
     "3580.0 AS ceiling_launch_ns, 9000.0 AS time_ns"},
    {"several_launches", "3.0 AS launches", "1.0 AS launches"},
    {"fewer_launches",
     "1.0 AS launches, 2.0 AS prev_launches, 1 AS faster, 9000.0 AS time_ns, 10850.0 AS "
     "prev_time_ns",
     /* not faster by more than the floors */
     "1.0 AS launches, 2.0 AS prev_launches, 0 AS faster"},
    {"fewer_warps_faster",
     "50.0 AS achieved_occupancy_pct, 99.9 AS prev_achieved_occupancy_pct, 1.97 AS speedup_prev, "
     "1 AS faster, 48.0 AS registers, 32.0 AS prev_registers",
     "50.0 AS achieved_occupancy_pct, 99.9 AS prev_achieved_occupancy_pct, 0 AS faster"},
    {"occupancy_not_needed",
     "25.0 AS achieved_occupancy_pct, 96.0 AS dram_pct_peak, 0.4 AS tflops_pct_peak",
     "25.0 AS achieved_occupancy_pct, 2.0 AS dram_pct_peak, 52.0 AS tflops_pct_peak"},
    {"fma_bound",
     "85.2 AS tflops_pct_fp32_peak, 57.0 AS tflops, 66.9 AS fp32_peak_tflops, 92.6 AS "
     "fma_share_pct, 95.0 AS issue_slot_pct, "
     "1900.0 AS sm_clock_mhz",
     "65.3 AS tflops_pct_fp32_peak, 43.7 AS tflops, 88.0 AS fma_share_pct"},
    {"tensor_cores_unused", "1000.0 AS fp32_fma, 2000.0 AS useful_operations",
     /* they do most of it */
     "100.0 AS fp32_fma, 2000.0 AS useful_operations"},
    {"fma_diluted", "72.0 AS fma_share_pct, 70.0 AS issue_slot_pct",
     "92.6 AS fma_share_pct, 95.0 AS issue_slot_pct"},
    {"traffic_bound",
     "90.0 AS dram_pct_peak, 4300.0 AS dram_gbs, 4800.0 AS dram_peak_gbs, 4.0 AS "
     "arithmetic_intensity, 25.0 AS "
     "tflops_pct_peak",
     "5.0 AS dram_pct_peak"},
    {"waits_for_global",
     "13.8 AS stall_long_scoreboard, 0.1 AS stall_lg_throttle, 30.0 AS stall_total, 51.0 AS "
     "issue_active_pct",
     "0.08 AS stall_long_scoreboard, 0.01 AS stall_lg_throttle, 6.0 AS stall_total, 68.0 AS "
     "issue_active_pct"},
    {"waits_for_shared",
     "1.6 AS stall_short_scoreboard, 0.2 AS stall_mio_throttle, 6.0 AS stall_total, 68.0 AS "
     "issue_active_pct, 2.0 AS "
     "dram_busy_pct",
     "0.05 AS stall_short_scoreboard, 1.0 AS stall_mio_throttle, 3.2 AS stall_total, 92.0 AS "
     "issue_active_pct, 2.0 AS "
     "dram_busy_pct"},
    {"waits_at_barrier",
     "7.8 AS stall_barrier, 42.0 AS stall_total, 38.0 AS issue_active_pct, 11.0 AS dram_busy_pct",
     /* device memory is at its limit all the same */
     "24.0 AS stall_barrier, 138.0 AS stall_total, 11.0 AS issue_active_pct, 96.0 AS "
     "dram_busy_pct"},
    {"for_tensor_cores",
     "1.0 AS unit_tensor_bf16, 0.0 AS unit_tensor_tf32, 700.0 AS tflops, 1070.0 AS "
     "unit_peak_tflops, 65.4 AS tflops_pct_peak, 80.0 AS tflops_pct_peak_at_clock, 1620.0 AS "
     "sm_clock_mhz, 1046.0 AS tflops_pct_fp32_peak",
     "0.0 AS unit_tensor_bf16, 0.0 AS unit_tensor_tf32"},
    {"tensor_bound", "91.0 AS tensor_peak_pct, 1.02 AS tensor_operations_per_useful",
     "40.0 AS tensor_peak_pct"},
    {"warp_products",
     "1000.0 AS mma_bf16_operations, 0.0 AS mma_tf32_operations, 1000.0 AS tensor_operations, "
     "66.7 AS mma_peak_pct",
     /* on an A100 */
     "1000.0 AS mma_bf16_operations, 0.0 AS mma_tf32_operations, 1000.0 AS tensor_operations, "
     "100.0 AS mma_peak_pct"},
    {"waits_for_products", "9.0 AS stall_gmma, 20.0 AS stall_total, 40.0 AS tensor_peak_pct",
     "9.0 AS stall_gmma, 20.0 AS stall_total, 90.0 AS tensor_peak_pct"},
    {"clock_lowered", "1620.0 AS sm_clock_mhz, 81.8 AS sm_clock_pct",
     "1950.0 AS sm_clock_mhz, 98.5 AS sm_clock_pct"},
    {"power_capped",
     "1.0 AS power_capped, 700.0 AS sustained_power_w, 1440.0 AS sustained_clock_mhz, 190000.0 AS "
     "sustained_time_ns, 170000.0 AS time_warm_ns, 0.97 AS energy_per_operation_pj",
     "0.0 AS power_capped, 400.0 AS sustained_power_w, 1980.0 AS sustained_clock_mhz"},
    {"waits_for_pipe",
     "7.7 AS stall_math_pipe_throttle, 20.5 AS stall_total, 71.0 AS issue_active_pct",
     "1.1 AS stall_math_pipe_throttle, 15.9 AS stall_total, 79.0 AS issue_active_pct"},
    {"register_banks",
     "0.72 AS stall_dispatch_stall, 5.0 AS stall_total, 77.0 AS issue_active_pct, 88.0 AS "
     "fma_share_pct",
     "4.2 AS stall_dispatch_stall, 31.0 AS stall_total, 51.0 AS issue_active_pct, 12.5 AS "
     "fma_share_pct"},
};

#endif
