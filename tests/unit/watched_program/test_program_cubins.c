#include "image.h"
#include "watched_program/parts.h"
#include "watched_program/program_cubins.h"

TEST(code_is_found_by_samples_and_by_name)
{
    static const struct lines none;
    OWNED_BY(text_free) struct text image = image_make(&none, 0);
    write_part("watch/0", "process.txt", "pid: 5\n");
    write_part("watch/0", "kernels.csv",
               PART_KERNELS "0,one,0,4,1,1,256,1,1,0,0,32,0,1024,8,,,0\n"
                            "1,two,0,2,3,1,32,1,1,0,0,16,0,1024,,,,0\n"
                            "2,three,0,2,1,1,32,1,1,0,0,16,0,,,,,0\n");
    write_part("watch/0", "samples.csv",
               "symbol,cubin,pc,reason,samples,not_issued\none,77ff,0,wait,1,0\none,77ff,16,wa");
    write_part("watch/0/cubins", "damaged.cubin", "no machine code");
    write_bytes("watch/0/cubins/12ab.cubin", image.data, image.length);
    read_from("watch");
    assert_int_equal(program_cubins_find(&parts, parts.directory), 0);
    assert_string_equal(parts.kernel[0].cubin, "77ff");
    assert_string_equal(parts.kernel[1].cubin, "12ab");
    assert_string_equal(parts.kernel[2].cubin, "");
    program_parts_free(&parts);
}

RUN_TESTS(fixture_open, fixture_close)
