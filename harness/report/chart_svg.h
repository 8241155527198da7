/*
 * Finishes a picture that gnuplot drew as SVG. gnuplot calls every picture "Gnuplot": readers who
 * do not see it get its title and its caption instead. What is drawn twice, or not at all, is left
 * out: empty groups, unused symbols, the names of gnuplot's plots, which browsers would show as
 * tooltips, the font of each label, which the whole picture has, the group around each text,
 * decimals that are 0, empty lines, and points of polygons that are no corners. Nothing is owned.
 */
#ifndef WHYFAST_CHART_SVG_H
#define WHYFAST_CHART_SVG_H

int chart_svg_finish(const char *directory, const char *file, const char *svg, const char *title,
                     const char *caption);

#endif
