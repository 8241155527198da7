#include "fixture.h"

#include "machine_code/dwarf_lines.h"

static struct bytes of(const void *data, size_t count)
{
    const unsigned char *at = data;
    return (struct bytes){at, at + count, 0};
}

TEST(packed_numbers_are_read)
{
    static const struct {
        const char *bytes;
        int length;
        uint64_t plain;
        int64_t with_sign;
    } rows[] = {
        {"\x00", 1, 0, 0},
        {"\x3F", 1, 63, 63},
        {"\x40", 1, 64, -64},
        {"\x7F", 1, 127, -1},
        {"\x80\x01", 2, 128, 128},
        {"\xFF\x7E", 2, 16255, -129},
        {"\x80\x00", 2, 0, 0}, /* longer than necessary */
        {"\xFF\xFF\x00", 3, 16383, 16383},
        {"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 10, UINT64_MAX, -1},
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7F", 10, (uint64_t)1 << 63,
         INT64_MIN}, /* bits beyond the 64th are lost */
        {"\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bytes plain = of(rows[i].bytes, (size_t)rows[i].length), with_sign = plain;
        const uint64_t got = byte_reader_unsigned(&plain);
        const int64_t got_signed = (int64_t)byte_reader_signed(&with_sign);
        if (got != rows[i].plain || got_signed != rows[i].with_sign || plain.damaged ||
            with_sign.damaged || plain.at != plain.end)
            fail_msg("row %zu: %llu, %lld", i, (unsigned long long)got, (long long)got_signed);
    }
}

TEST(bytes_cut_short_are_damaged)
{
    static const unsigned char data[] = {0x80, 0x80, 'a', 'b'};
    struct bytes packed = of(data, 2), number = of(data, 3), string = of(data, 4),
                 part = of(data, 4);
    byte_reader_unsigned(&packed);
    assert_true(packed.damaged && packed.at == packed.end);
    assert_int_equal(byte_reader_number(&number, 2), 0x8080);
    assert_false(number.damaged);
    assert_int_equal(byte_reader_number(&number, 2), 0);
    assert_true(number.damaged && number.at == number.end);
    assert_int_equal(byte_reader_number(&number, 1), 0);
    assert_string_equal(byte_reader_string(&string), "");
    assert_true(string.damaged && string.at == string.end);
    const struct bytes first = byte_reader_part(&part, 3), second = byte_reader_part(&part, 2);
    assert_int_equal(first.end - first.at, 3);
    assert_false(first.damaged);
    assert_int_equal(second.end - second.at, 1);
    assert_true(second.damaged && part.damaged && part.at == part.end);
}

TEST(strings_are_read_in_place)
{
    static const char data[] = "one\0\0two";
    struct bytes bytes = of(data, sizeof data);
    assert_ptr_equal(byte_reader_string(&bytes), data);
    assert_string_equal(byte_reader_string(&bytes), "");
    assert_string_equal(byte_reader_string(&bytes), "two");
    assert_false(bytes.damaged);
    assert_ptr_equal(bytes.at, bytes.end);
}

RUN_TESTS(fixture_open, fixture_close)
