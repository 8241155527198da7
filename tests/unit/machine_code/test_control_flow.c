/*
 * Tests blocks, ways and loops of small pieces of code.
 */
#include "sass_code.h"

#include "machine_code/control_flow.h"

static struct control_flow flow;

/* Returns the ways as "0>1 0>3 1>2", between the first instructions of blocks. */
static const char *ways(const char *listing)
{
    static char words[512];
    read_code(listing);
    control_flow_free(&flow);
    assert_int_equal(control_flow_make(&flow, code, code_length), 0);
    *words = 0;
    for (int b = 0; b < flow.block_count; b++)
        for (int e = flow.block[b].edge; e < flow.block[b].edge + flow.block[b].edge_count; e++)
            snprintf(words + strlen(words), sizeof words - strlen(words), "%s%d>%d",
                     *words ? " " : "", flow.block[b].first, flow.block[flow.to[e]].first);
    return words;
}

TEST(jumps_lead_to_their_targets)
{
    assert_string_equal(ways("MOV R0, R1\n@P0 BRA 0x40\nMOV R2, R1\nEXIT\nMOV R2, R1\nEXIT\n"),
                        "0>2 0>4");
    assert_string_equal(ways("@P0 EXIT\nBRA 0x0\nNOP\n"), "0>1 1>0");
    assert_string_equal(ways("BRA.DIV UR6, 0x20\nNOP\nEXIT\n"), "0>1 0>2 1>2");
    assert_string_equal(ways("@!P0 BRA P2, 0x20\nBRA P1, 0x20\nEXIT\n"), "0>1 0>2 1>2");
    assert_string_equal(ways("BRA 0x8\nBRA 0x1000\nBRA `(.L_x_1)\n"), "");
    assert_string_equal(ways(""), "");
}

TEST(bsync_leads_behind_its_bssy)
{
    assert_string_equal(ways("BSSY B0, 0x50\nBSSY B1, 0x60\n@P0 BRA 0x40\nNOP\nBSYNC B0\nNOP\n"
                             "EXIT\n"),
                        "0>3 0>4 3>4 4>5 5>6");
    assert_string_equal(ways("BSYNC B0\nEXIT\n"), "0>1");
}

TEST(subroutines_return_to_their_calls)
{
    int first;
    assert_string_equal(ways("CALL.REL.NOINC 0x40\nNOP\nCALL.REL.NOINC 0x60\nEXIT\nNOP\n"
                             "RET.REL.NODEC R2 0x0\nRET.REL.NODEC R4 0x0\n"),
                        "0>4 1>6 4>1 6>3");
    assert_int_equal(control_flow_subroutine(code, code_length, 0, &first), 2);
    assert_int_equal(first, 4);
    assert_int_equal(control_flow_subroutine(code, code_length, 1, &first), 0);
    assert_string_equal(ways("CALL.ABS.NOINC `(printf)\nEXIT\n"), "0>1");
}

TEST(indirect_jumps_lead_to_what_nothing_else_reaches)
{
    assert_string_equal(ways("BRX R2 0x10\nNOP\nEXIT\nNOP\nEXIT\n"), "0>1 0>3");
}

TEST(loops_are_found)
{
    ways("NOP\nNOP\n@P0 BRA 0x10\nNOP\n@P1 BRA 0x0\nEXIT\n");
    assert_int_equal(flow.loop_count, 2);
    assert_int_equal(flow.loop[0].size, 1);
    assert_int_equal(flow.loop[1].size, 3);
    assert_true(flow.loop[1].is_in[0] && !flow.loop[1].is_in[3]);
    assert_true(flow.dominates[0 * flow.block_count + 3]);
    assert_false(flow.dominates[3 * flow.block_count + 0]);
    control_flow_free(&flow);
}

RUN_TESTS(NULL, NULL)
