#include "watched_program/parts.h"

PARTS_TEST(processes_and_kernels_are_read)
{
    assert_int_equal(parts.process_count, 1);
    assert_string_equal(parts.process[0].chip, "GH100");
    assert_string_equal(parts.process[0].driver, "");
    assert_int_equal(parts.process[0].has_graph, 1);
    assert_int_equal(parts.process[0].has_ended, 1);
    assert_int_equal(parts.kernel_count, 3);
    assert_string_equal(parts.kernel[0].name, "add");
    assert_string_equal(parts.kernel[0].range, "a,b");
    assert_int_equal(parts.kernel[1].grid[1], 3);
    assert_true(parts.kernel[1].blocks_per_sm != parts.kernel[1].blocks_per_sm);
    assert_int_equal(parts.kernel[0].launch_count, 6);
    assert_true(parts.kernel[1].total_ns == 2000);
    assert_int_equal(parts.kernel[2].is_graph_node, 1);
    assert_ptr_equal(program_kernel_find(&parts, &parts.kernel[2]), &parts.kernel[2]);
}

PARTS_TEST(a_file_that_was_cut_off_is_read_up_to_there)
{
    write_part("watch/0", "launches.csv", PART_LAUNCHES "0,0,0,100,7\n0,1,2");
    write_part("watch/0", "counters.csv", "kernel,metric,value\n0,a.sum,5\n0,b.sum,\n\"0");
    write_part("watch/0", "problems.csv", "what,kernel,reason\ncounters,,busy\ncounts,1,full\n");
    read_from("watch");
    assert_int_equal(parts.kernel[0].launch_count, 1);
    assert_int_equal(parts.counter_count, 2);
    assert_true(parts.counter[0].value == 5);
    assert_true(parts.counter[1].value != parts.counter[1].value);
    assert_string_equal(program_problem_find(&parts, "counters", 0, 1), "busy");
    assert_string_equal(program_problem_find(&parts, "counts", 0, 1), "full");
    assert_null(program_problem_find(&parts, "counts", 0, 0));
}

/* A process of the first start may have no number in a later one, because it used no CUDA there. */
PARTS_TEST(processes_keep_their_numbers)
{
    write_part("later/2", "process.txt", "pid: 7\ngeneration: 3\nexecutable: /bin/b\n");
    write_part("later/0", "process.txt", "pid: 8\nexecutable: /bin/a\n");
    write_part("later", "plan.txt", "");
    read_from("later");
    assert_int_equal(parts.process_count, 2);
    assert_int_equal(parts.process[0].generation, -1);
    assert_int_equal(program_process_find(&parts, 2)->generation, 3);
    assert_null(program_process_find(&parts, 1));
}

PARTS_TEST(nothing_is_nothing)
{
    read_from("nowhere");
    assert_int_equal(parts.process_count + parts.kernel_count, 0);
}

RUN_TESTS(fixture_open, fixture_close)
