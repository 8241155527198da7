"""Reads the pictures of a report as gnuplot drew them: pictures.py ORIGIN FILE.svg...

Prints what a reader would stumble over: a picture without the line ORIGIN (device, date, program),
a text that is cut, smaller than 14 pixels or outside the picture, two texts that overlap, two names
of rows that are nearer than the two lines of one name, and a number that a line of dashes strikes
through. Then the number of texts. Widths are estimates.
"""

import collections
import re
import sys

TEXT = re.compile(r'<text transform="translate\(([-0-9.]+),([-0-9.]+)\)( rotate[^"]*)?"[^>]*?'
                  r'font-size="([0-9.]+)"([^>]*)>(.*?)</text>', re.DOTALL)
DASHES = re.compile(r"stroke-dasharray[^>]*d='M([0-9.]+),([0-9.]+) L([0-9.]+),([0-9.]+)")
BLANK = re.compile("<[^>]*>|&[a-z]+;")


def texts(svg):
    """Every text without a rotation: left, right, top, bottom, size, words."""
    for x, y, rotated, size, rest, words in TEXT.findall(svg):
        words, size = BLANK.sub("x", words).strip(), float(size)
        if rotated or not words:
            continue
        wide, x, y = 0.5 * size * len(words), float(x), float(y)
        left = x - (wide if '"end"' in rest else wide / 2 if '"middle"' in rest else 0)
        yield left, left + wide, y - 0.7 * size, y, size, words


def faults(svg, origin):
    svg = re.sub(r"</?tspan[^>]*>", "", svg)  # of exponents
    width, height = (float(n) for n in re.search(r'width="(\d+)" height="(\d+)"', svg).groups())
    found = list(texts(svg))
    names = collections.defaultdict(list)
    for x, y, rotated, size, rest, words in TEXT.findall(svg):
        if '"end"' in rest and not rotated:
            names[x, size].append((float(y), words))
    for (_, size), column in names.items():
        column.sort()
        for (y, _), (next_y, words) in zip(column, column[1:]):
            if next_y - y < 1.45 * float(size) and not words.isdigit():
                yield f"'{words}' is too near"
    if not any(words == origin for *_, words in found):
        yield f"it lacks the line '{origin}'"
    for at, (left, right, top, bottom, size, words) in enumerate(found):
        if "…" in words:
            yield f"'{words}' is cut"
        if size < 14:
            yield f"'{words}' has {size} pixels"
        if left < -4 or right > width + 4 or top < 0 or bottom > height:
            yield f"'{words}' leaves the picture"
        for other in found[:at]:
            if min(right, other[1]) - max(left, other[0]) > 4 and min(bottom, other[3]) - max(
                    top, other[2]) > 1:
                yield f"'{words}' and '{other[-1]}' overlap"
        for x, y, to_x, to_y in (map(float, line) for line in DASHES.findall(svg)):
            crosses = min(y, to_y) < top and max(y, to_y) > bottom
            if x == to_x and left + 2 < x < right - 2 and crosses:
                yield f"'{words}' is struck through"


origin, count = sys.argv[1], 0
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        svg = file.read()
    count += len(list(texts(svg)))
    for fault in dict.fromkeys(faults(svg, origin)):
        print(f"{path.rsplit('/', 1)[-1]}: {fault}")
print(count, "texts")
