/* Tests that a finished picture draws the same as gnuplot's, in fewer bytes. */
#include "report/chart_svg.h"

#include "fixture.h"

#define HEAD "<svg>\n<title>Gnuplot</title>\n<desc>Produced by GNUPLOT</desc>\n"

static const char *finished(const char *drawn)
{
    struct text svg = {0};
    make_directory("charts");
    text_append(&svg, HEAD);
    text_append(&svg, drawn);
    text_append(&svg, "</svg>\n");
    assert_int_equal(
        chart_svg_finish(place("charts"), "a.svg", text_string(&svg), "A < B", "Two & more"), 0);
    text_free(&svg);
    return read_text("charts/a.svg");
}

static void expect(const char *drawn, const char *wanted)
{
    struct text whole = {0};
    text_append(&whole, "<svg>\n<title>A &lt; B</title>\n<desc>Two &amp; more</desc>\n");
    text_append(&whole, wanted);
    text_append(&whole, "</svg>\n");
    assert_string_equal(finished(drawn), text_string(&whole));
    text_free(&whole);
}

static void a_polygon_keeps_its_corners(void **state)
{
    (void)state;
    /* Straight on to the right, a step down of less than a tenth, back to the left. */
    expect("<polygon fill = 'rgb( 68,  84, 106)' points = '1.00,5.00 2.00,5.00 3.00,5.02 4.00,5.00 "
           "4.00,9.00\n1.00,9.00 '/>\n",
           "<polygon fill = '#44546a' points = '1,5 4,5 4,9 1,9 '/>\n");
    /* A spike goes back on its own line: it is drawn, as a corner. */
    expect("<polygon points = '0.00,0.00 5.00,0.00 3.00,0.00 3.00,2.00 '/>\n",
           "<polygon points = '0,0 5,0 3,0 3,2 '/>\n");
    expect("<polygon points = '1.00,1.00 2.00,2.00 3.00,3.00 '/>\n",
           "<polygon points = '1,1 2,2 3,3 '/>\n");
    expect("<polygon points = '-1.50,1.00 -1.50,1.00 '/>\n", "<polygon points = '-1.5,1 '/>\n");
    expect("<polygon points = ''/>\n", "<polygon points = ''/>\n");
    expect("<polygon points = '1.00 2.00'/>\n", "<polygon points = '1 2'/>\n");
}

static void a_label_takes_the_place_of_its_group(void **state)
{
    (void)state;
    expect("\t<g transform=\"translate(1.25,20.00)\" stroke=\"none\" fill=\"rgb(26,26,26)\" "
           "font-family=\"sans-serif\" font-size=\"15\"  text-anchor=\"start\">\n"
           "\t\t<text><![CDATA[at 12.34 rgb(1,2,3)]]></text>\n\t</g>\n<g id=\"next\">x</g>\n",
           "<text transform=\"translate(1.3,20)\" stroke=\"none\" fill=\"#1a1a1a\" "
           "font-size=\"15\" ><![CDATA[at 12.34 rgb(1,2,3)]]></text>\n<g id=\"next\">x</g>\n");
    expect("<g transform=\"translate(1.00,2.00)\">\n<text>one</text>\n<text>two</text></g>\n",
           "<g transform=\"translate(1,2)\"><text>one</text><text>two</text></g>\n");
}

static void attributes_stay_what_they_are(void **state)
{
    (void)state;
    expect(
        "<g fill=\"none\" color=\"black\" stroke=\"currentColor\" stroke-width=\"0.75\"><path "
        "d='M1.00,2.00 L3.50,4.26'/></g>\n",
        "<g fill=\"none\" stroke=\"black\" stroke-width=\"0.8\"><path d='M1,2 L3.5,4.3'/></g>\n");
    expect("<rect fill=\"rgb(256,0,0)\" stroke=\"rgb(1,2)\" color='rgb'/>\n",
           "<rect fill=\"rgb(256,0,0)\" stroke=\"rgb(1,2)\" color='rgb'/>\n");
    expect("<g><text>rgb(1,2,3) points = '1.00,1.00 '</text></g>\n",
           "<g><text>rgb(1,2,3) points = '1.00,1.00 '</text></g>\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_polygon_keeps_its_corners),
        cmocka_unit_test(a_label_takes_the_place_of_its_group),
        cmocka_unit_test(attributes_stay_what_they_are),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
