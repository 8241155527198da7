/* Tests that a finished picture draws the same as gnuplot's, in fewer bytes. */
#include "report/chart_svg.h"

#include "fixture.h"

static void expect(const char *drawn, const char *wanted)
{
    OWNED_BY(text_free) struct text svg = {0}, whole = {0};
    make_directory("charts");
    text_format(&svg, "<svg>\n<title>Gnuplot</title>\n<desc>Produced by GNUPLOT</desc>\n%s</svg>\n",
                drawn);
    text_format(&whole, "<svg>\n<title>A &lt; B</title>\n<desc>Two &amp; more</desc>\n%s</svg>\n",
                wanted);
    WORKS(chart_svg_finish(place("charts"), "a.svg", text_string(&svg), "A < B", "Two & more"));
    assert_string_equal(read_text("charts/a.svg"), text_string(&whole));
}

TEST(a_polygon_keeps_its_corners)
{
    expect("<polygon points = '1.00,5.00 2.00,5.00 2.00,5.00\n2.00,9.00 1.00,5.00 '/>\n",
           "<polygon points = '1.00,5.00 2.00,5.00 2.00,9.00 1.00,5.00 '/>\n");
    expect("<polygon points = '1.0,5.0 2.0,5.0 3.0,5.0 3.0,6.0 3.0,9.0 4.0,8.0 1.0,8.0 '/>\n",
           "<polygon points = '1.0,5.0 3.0,5.0 3.0,6.0 3.0,9.0 4.0,8.0 1.0,8.0 '/>\n");
    expect("<polygon points = '1,5 11,5 11,15 1,15 1,5 '/>\n",
           "<polygon points = '1,5 11,5 11,15 1,15 1,5 '/>\n");
    expect("<polygon points = ''/>\n", "<polygon points = ''/>\n");
}

TEST(what_is_not_drawn_is_left_out)
{
    expect("\t<g id=\"a\"><title>gnuplot_plot_12</title>\n<text>1 1</text></g>\n"
           "<g stroke=\"black\">\n\t</g>\n\n",
           "<g id=\"a\">\n<text>1 1</text></g>\n");
    expect("<rect x=\"1.00\" y=\"2.001\"/><text>3.00</text>\n",
           "<rect x=\"1\" y=\"2.001\"/><text>3.00</text>\n");
    expect("<defs><circle id='gpDot'/></defs>\n", "");
    expect("<defs><circle id='gpDot'/></defs>\n<use xlink:href='#gpDot'/>\n",
           "<defs><circle id='gpDot'/></defs>\n<use xlink:href='#gpDot'/>\n");
    expect("<g id=\"gnuplot_canvas\"><text font-family=\"sans-serif\">a</text></g>\n",
           "<g font-family=\"Arial, Helvetica, Liberation Sans, sans-serif\" "
           "id=\"gnuplot_canvas\"><text>a</text></g>\n");
}

TEST(a_colour_is_written_in_six_digits)
{
    expect("<rect fill='rgb( 68,  84, 106)' stroke=\"rgb(255,0,1)\"/>\n",
           "<rect fill='#44546a' stroke=\"#ff0001\"/>\n");
    expect("<rect fill='rgb(256,0,0)'/><rect fill='rgb(1,2'/>\n",
           "<rect fill='rgb(256,0,0)'/><rect fill='rgb(1,2'/>\n");
}

TEST(a_text_needs_no_group)
{
    expect(
        "<g transform=\"translate(24.00,45.11)\" fill=\"rgb(26,26,26)\" text-anchor=\"start\" >\n"
        "\t\t<text>rgb(1,2,3) > 1.00 \t</text>\n\t</g>\n",
        "<text transform=\"translate(24,45.11)\" fill=\"#1a1a1a\" >rgb(1,2,3) > 1.00 \t</text>\n");
    expect("<g transform=\"translate(1,2)\">\n\t\t<text>a</text>\n\t\t<text>b</text>\n\t</g>\n",
           "<g transform=\"translate(1,2)\">\n<text>a</text>\n<text>b</text>\n</g>\n");
}

TEST(exponents_are_smaller_digits)
{
    expect(
        "<g transform=\"translate(1,2)\">\n\t\t<text>n = 2\u00b2\u2077</text>\n\t</g>\n",
        "<text transform=\"translate(1,2)\">n = 2<tspan dy=\"-.5em\" font-size=\"70%\">27</tspan>"
        "</text>\n");
    expect(
        "<g transform=\"translate(1,2)\">\n\t\t<text>2\u00b9\u2070 \u00d7 2\u00b3</text>\n\t</g>\n",
        "<text transform=\"translate(1,2)\">2<tspan dy=\"-.5em\" "
        "font-size=\"70%\">10</tspan><tspan "
        "dy=\".35em\"> \u00d7 2</tspan><tspan dy=\"-.5em\" font-size=\"70%\">3</tspan></text>\n");
}

RUN_TESTS(fixture_open, fixture_close)
