"""Finds numbers that stand at two places and differ: numbers.py REPORT [WHYFAST].

Each number of a rung, a step, a cause or a conflict is collected with the place where it stands, as
the range of values that its digits may stand for. Two places of one number differ if their ranges
do not overlap; sentences, verdicts and main causes must be the same word for word. Prints each
difference, then how many numbers stand at two places or more, by kind, and how often each place was
one of them.
"""

import collections
import csv
import html
import json
import os
import re
import subprocess
import sys

report, program = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
NUMBER = r"([-+−]?[0-9]+(?:[  \u202f][0-9]{3})*(?:\.[0-9]+)?)"
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
places = collections.defaultdict(list)  # (kind, key): [(place, low, high)]
texts = collections.defaultdict(list)  # (kind, key): [(place, text)]


def table(name):
    path = f"{report}/{name}.csv"
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def text_of(name):
    with open(f"{report}/{name}", encoding="utf-8") as file:
        return file.read().replace("\u00a0", " ").replace("&nbsp;", " ")


def add(kind, key, place, value, half):
    places[kind, key].append((place, value - half, value + half))


def raw(kind, key, place, value, digits=8, slack=0.0):
    """A number as it was computed, with so many significant digits, or with an error up to slack."""
    if value not in (None, ""):
        value = float(value)
        add(kind, key, place, value, abs(value) * 0.51 * 10.0 ** (1 - digits) + slack + 1e-9)


def same(kind, key, place, text):
    if text:
        texts[kind, key].append((place, " ".join(text.split())))


def digits_of(text):
    digits = re.sub("[ \u202f]", "", text).replace("−", "-")
    return float(digits), 0.51 * 10.0 ** -len(digits.partition(".")[2])


def moved(kind, key, place, text, slack=0.0):
    """A change that is written as '−6.715 µs'."""
    found = re.match(NUMBER + r"\s*(ns|µs|ms|s)", text or "")
    if found:
        value, half = digits_of(found.group(1))
        add(kind, key, place, -value * UNITS[found.group(2)], half * UNITS[found.group(2)] + slack)


def words(kind, key, place, text, unit=1.0):
    """The first number in a text; a time is one with a unit."""
    found = re.search(NUMBER + r"(?:\s*(ns|µs|ms|s)\b)?", text or "")
    if found:
        value, half = digits_of(found.group(1))
        unit = UNITS[found.group(2)] if found.group(2) else unit
        add(kind, key, place, value * unit, half * unit)


def gain(key, place, text):
    """The speed-up in '1.59× faster', '0.5 % faster', '2.0× slower' or '3.1 % slower'."""
    found = re.match(NUMBER + r"(×| %) (faster|slower)", text or "")
    if not found:
        return
    value, half = digits_of(found.group(1))
    low, high = value - half, value + half
    if found.group(2) == " %":
        low, high = (1 + low / 100, 1 + high / 100) if found.group(3) == "faster" else (
            1 / (1 + high / 100), 1 / (1 + low / 100))
    elif found.group(3) == "slower":
        low, high = 1 / high, 1 / low
    add("speed-up", key, place, (low + high) / 2, (high - low) / 2)


def said_of(key, place, sentence):
    """The numbers of the sentence about a step, whose causes have titles."""
    if not place.startswith("20_"):
        same("sentence", key, place, sentence)
    gain(key, place, sentence)
    sign = -1 if re.search(" (lost|more)\\b|slower", (sentence or "").split(":")[0]) else 1
    found = re.search(NUMBER + r" (ns|µs|ms|s) (saved|lost|more)", (sentence or "").split(":")[0])
    if found:
        value, half = digits_of(found.group(1))
        add("change", key, place, sign * value * UNITS[found.group(2)],
            half * UNITS[found.group(2)])
    # Causes that one share joins by 'and' have none of their own here.
    for part in re.split(r", (?=[0-9−]+ % from )|: (?=[0-9−]+ % from )|\. ", sentence or ""):
        found = re.match(NUMBER + " % from (.*)", part)
        named = [title for title in titles.get(key, ()) if found and re.search(
            rf"(^| and ){re.escape(title)}($| \(|,|\.| and )", found.group(2))]
        if len(named) == 1 and found.group(2).startswith(named[0]):
            value, half = digits_of(found.group(1))
            add("share", (*key, named[0]), place, value, half)


def plain(text):
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", text)).replace("\u00a0", " ").split())


def labelled(row):
    """The cells of a row by their labels."""
    return {label: plain(cell) for label, cell in re.findall(
        r'<td[^>]*data-label="([^"]*)"[^>]*>(.*?)</td>', row, re.DOTALL)}


# ---- the tables ----------------------------------------------------------------------------------

families = {f["family"]: f for f in table("families")}
variants = {(v["family"], v["variant"]): v for v in table("variants")}
by_label = {(v["family"], f"{int(v['rung'])} {v['title']}"): v["variant"] for v in table("variants")}
by_title = {(v["family"], v["title"]): v["variant"] for v in table("variants")}
key_of = lambda row: (row["family"], row["variant"], row["size"])
best = {key_of(m): m for m in table("metrics") if m["best"] == "1"}
at_best = lambda row: key_of(row) in best and all(
    row[name] == best[key_of(row)][name] for name in ("block", "sweep", "device"))
steps = {key_of(s): s for s in table("steps") if at_best(s)}
titles = collections.defaultdict(set)
said = [row for row in table("said") if at_best(row)]
for row in said:
    if row["place"] != "0":
        titles[key_of(row)].add(row["title"])
primary = {}
useful = {(p["family"], p["size"]): float(p["useful_bytes"] or 0) for p in table("points")}
for family, facts in families.items():
    known = [size for of, size in useful if of == family]
    primary[family] = facts["lines_size"] if facts["lines_size"] in known else max(
        known, key=lambda size: useful[family, size], default=None)
of_peak = {family: "tflops_pct_peak" if facts["rate"] == "operations" else "effective_pct_peak"
           for family, facts in families.items()}


def rung(family, label):
    label = re.sub(r" ← \d+$", "", label.replace("\u201a", ","))
    return by_label.get((family, label)) or by_title.get((family, label))


def by_key(family, key):
    """The rung with this name in an address: its number, or all of its name."""
    if (family, key) in variants:
        return key
    return next((v for f, v in variants if f == family and key.isdigit()
                 and v.startswith(f"{key}_")), None)


for at, m in best.items():
    raw("time", at, "metrics.csv", m["time_ns"])
    raw("speed-up over the first", at, "metrics.csv", m["speedup_first"])
    raw("percent of peak", at, "metrics.csv", m[of_peak[at[0]]])
    raw("× library", at, "metrics.csv", m["speedup_library"])
    raw("% of library", at, "metrics.csv", 100 * float(m["speedup_library"])
        if m["speedup_library"] else None)
    raw("TFLOP/s", at, "metrics.csv", m["tflops"])
    raw("GB/s", at, "metrics.csv", m["effective_gbs"])
libraries = {(f, size): v for (f, v, size), m in best.items() if variants[f, v]["kind"] == "library"
             and m["speedup_library"] == m["speedup_library_low"] == m["speedup_library_high"] == "1"}
OF_LIBRARY = ("× library", "low over library", "high over library")


def beside(key, place, word):
    """What is said of a rung and the library at its size: faster, slower or even."""
    same("beside the library", key, place, {"no evidence": "even", "no significant change": "even"}
         .get(word, word))


def beside_in(key, place, text):
    """The same in 'is as fast as the library' or 'has 1.10× the speed of the library'."""
    found = re.search(r"(as fast as|" + NUMBER + "× the speed of) the library", text)
    if found and found.group(2):
        words("× library", key, place, found.group(2))
    if found:
        beside(key, place, "even" if not found.group(2) else
               "faster" if float(found.group(2)) > 1 else "slower")


def of_pair(place, family, size, first, second, ratio, low, high, verdict):
    """A pair with the library as one of the two, as the other one over the library."""
    turned = second == libraries.get((family, size))
    if first == second or not (turned or first == libraries.get((family, size))):
        return
    at = family, first if turned else second, size
    numbers = (ratio, high, low) if turned else (ratio, low, high)
    for kind, value in zip(OF_LIBRARY, numbers):
        raw(kind, at, place, 1 / value if turned and value else value, 5)
    beside(at, place, {"faster": "slower", "slower": "faster"}.get(verdict, verdict)
           if turned else verdict)


for m in table("shape_map"):
    at = m["family"], m["variant"], m["size"]
    for kind, value in zip(OF_LIBRARY, (m["ratio"], m["high"], m["low"])):
        raw(kind, at, "shape_map.csv", 1 / float(value) if value else None, 7)
    beside(at, "shape_map.csv", {"1": "faster", "-1": "slower", "0": "even"}.get(m["direction"]))
for at, m in best.items():
    raw("low over library", at, "metrics.csv", m["speedup_library_low"])
    raw("high over library", at, "metrics.csv", m["speedup_library_high"])
for at, s in steps.items():
    for kind, name in (("speed-up", "speedup_prev"), ("low", "speedup_prev_low"),
                       ("high", "speedup_prev_high"), ("noise floor", "floor_pct")):
        raw(kind, at, "steps.csv", s[name])
for row in said:
    at = key_of(row)
    if row["place"] == "0":
        raw("change", at, "said.csv", row["saved_ns"])
        moved("change", at, "said.csv, moved", row["moved"])
        same("verdict", at, "said.csv", row["status"])
        said_of(at, "said.csv, sentence", row["sentence"])
    elif row["id"] != "rest":
        of = (*at, row["title"])
        raw("saved by a cause", of, "said.csv", row["saved_ns"])
        raw("share", of, "said.csv", row["share_pct"])
        if row["is_main"] == "1":
            same("main cause", at, "said.csv", row["title"])
        raw("witness before", of, "said.csv", row["witness_before"])
        raw("witness after", of, "said.csv", row["witness_after"])
for c in filter(at_best, table("conflicts")):
    at = key_of(c)
    raw("time", at, "conflicts.csv", c["time_ns"])
    raw("cost of conflicts", at, "conflicts.csv", c["cost_ns"])
    raw("least cost of conflicts", at, "conflicts.csv", c["cost_low_ns"])
    raw("share of conflicts", at, "conflicts.csv", c["share_pct"])
    raw("excess wavefronts", at, "conflicts.csv", c["excess"])
for e in filter(at_best, table("experiments")):
    if e["title"] == "bank conflicts":
        raw("cost of conflicts", key_of(e), "experiments.csv", e["after_ns"])
        raw("cost of conflicts", (e["family"], e["after"], e["size"]), "experiments.csv, before",
            e["before_ns"])
for r in filter(at_best, table("remains")):
    if r["cause"] == "bank_conflicts":
        raw("cost of conflicts", key_of(r), "remains.csv", r["saved_ns"])

# ---- the pictures --------------------------------------------------------------------------------


for chart in table("charts"):
    script, family, size = chart["script"], chart["family"], chart["size"]
    rows = table("charts/" + chart["chart"])
    for row in rows:
        at = family, rung(family, row.get("label") or ""), size
        if script == "00_slide" and at[1]:
            raw("speed-up", at, script, row["value"])
            words("speed-up", at, script, row["value_text"])
        elif script == "01_ladder" and " takes " in chart["title"]:
            raw("time", at, script, 1e3 * float(row["value"]) if row["value"] else None)
            words("time", at, script, row["value_text"], 1e3)
        elif script == "01_ladder":
            kind = "TFLOP/s" if families[family]["rate"] == "operations" else "GB/s"
            raw(kind, at, script, row["value"])
            words(kind, at, script, row["value_text"])
        elif script == "02_speedup":
            raw("speed-up", at, script, row["value"])
            raw("low", at, script, row["low"])
            raw("high", at, script, row["high"])
            words("speed-up", at, script, row["value_text"])
        elif script == "03_conflicts":
            if not family:
                of, _, label = row["label"].replace("\u201a", ",").partition("/")
                at = of, by_label.get((of, label)), primary.get(of)
            if row["value"]:
                raw("cost of conflicts", at, script, 1e3 * float(row["value"]))
                words("cost of conflicts", at, script, row["value_text"], 1e3)
                words("share of conflicts", at, script, row["value_text"].partition("(")[2])
        elif script == "13_library":
            sizes = sorted({s for f, v, s in best if f == family and best[f, v, s]["speedup_library"]
                            and variants[f, v]["kind"] == "kernel"},
                           key=lambda s: (useful[family, s], s))
            size_of = sizes[int(row["at"])]
            at = min((at for at in best if at[0] == family and at[2] == size_of and variants[
                at[:2]]["kind"] == "kernel"), key=lambda at: float(best[at]["time_ns"] or "inf"))
            for kind, name in zip(OF_LIBRARY, ("value", "low", "high")):
                raw(kind, at, script, row[name])
            words("× library", at, script, row["value_text"])
        elif script == "17_roofline":
            raw("TFLOP/s", at, script, row["tflops"])
        elif script == "19_ledger" and row["total"]:
            words("time", at, script, row["time_text"], 1e3)
        elif script == "22_sizes":
            sizes = sorted({s for f, _, s in steps if f == family and steps[f, _, s]["speedup_prev"]},
                           key=lambda s: (useful[family, s], s))
            words("speed-up", (family, at[1], sizes[int(row["place"])]), script, row["value_text"])
    if script in ("00_slide", "01_ladder"):
        top = min((at for at in best if at[0] == family and at[2] == size and variants[at[:2]]["kind"]
                   == "kernel" and best[at]["time_ns"]), key=lambda at: float(best[at]["time_ns"]))
        beside_in(top, script + ", title", chart["title"] + chart["caption"])
    if script == "20_waterfall":
        last = family, rung(family, rows[-1]["label"]), size
        for at, row in (((family, steps[last]["after"], size), rows[0]), (last, rows[-1])):
            words("time", at, script, row["value_text"])
        for row in rows[1:-1]:
            title = re.sub(r" \((measured( in part)?|inferred)\)$", "", row["label"].replace("\u201a", ","))
            if title in titles[last]:
                moved("saved by a cause", (*last, title), script, row["value_text"])
        said_of(last, script + ", title", chart["title"])

# ---- the pages -----------------------------------------------------------------------------------

size_words = {}
for family in families:
    text = text_of(f"ladder-{family}.js")
    part = {name: json.loads(found.group(1)) for name in ("sizes", "times", "steps", "rungs", "causes", "counters") for found in [
        re.search(rf"\n{name}: \n?(.*?),\n(?:/\*|[a-z]+: )", text, re.DOTALL)] if found}
    place = "ladder-*.js"
    for of in part.get("sizes", ()):
        size_words[family, of["words"]] = of["size"]
    for size, of in part.get("times", {}).items():
        for name, point in of.items():
            at = family, name, size
            raw("time", at, place, point["ns"], 4)
            words("percent of peak", at, place, point.get("peak"))
            words("% of library", at, place, point.get("library"))
            raw("time", at, place + ", groups", sum(point["areas"].values()) if point.get("areas")
                else None, 3)
    of = part.get("counters", {}).get(primary[family], {})
    for rung_of, value in zip(part.get("rungs", ()), of.get("shared_excess_wavefronts", ())):
        raw("excess wavefronts", (family, rung_of["variant"], primary[family]), place, value)
    for size, of in part.get("steps", {}).items():
        for name, step in of.items():
            at = family, name, size
            words("speed-up", at, place, step.get("ratio"))
            words("noise floor", at, place, step.get("floor"))
            low, _, high = (step.get("interval") or "").partition("–")
            words("low", at, place, low)
            words("high", at, place, high)
            said_of(at, place, step["sentence"])
            same("verdict", at, place, step["verdict"])
            for c in step["causes"]:
                title = c.get("title") or part["causes"][c["id"]]["title"]
                if c.get("is_main"):
                    same("main cause", at, place, title)
                if title in titles[at]:
                    key = (*at, title)
                    raw("saved by a cause", key, place, c["saved_ns"], 4)
                    if "moved" in c:
                        moved("saved by a cause", key, place, c["moved"])
                    words("share", key, place, c.get("share"))
                    for side, value in zip(("before", "after"), c.get("witness", ())[1:]):
                        raw("witness " + side, key, place, value, 4)
            for e in step.get("experiments", ()):
                if e[0] == "bank conflicts":
                    raw("cost of conflicts", (family, steps[at]["after"], size), place, e[1], 4)
                    raw("cost of conflicts", at, place, e[2], 4)
            for r in step.get("remains", ()):
                if r["id"] == "bank_conflicts":
                    words("cost of conflicts", at, place, re.search(NUMBER + " [nµm]?s", r["amount"])[0])

    page = text_of(f"ladder-{family}.html")
    lead = plain(re.search(r'<p class="lead">(.*?)</p>', page, re.DOTALL).group(1))
    found = re.search(r"reaches (\d+) % of the", lead)
    top = re.search(rf'<p class="lead">.*?#step={family}/([^"]*)"', page, re.DOTALL)
    top = top and (family, by_key(family, top.group(1)), primary[family])
    if top and top[1]:
        words("percent of peak", top, "ladder-*.html, lead", found and found.group(1))
        beside_in(top, "ladder-*.html, lead", lead)
    for name, row in re.findall(r'<tr\s+data-variant="([^"]*)">(.*?)</tr>', page, re.DOTALL):
        at, cell, place = (family, name, primary[family]), labelled(row), "ladder-*.html"
        if best.get(at, {}).get("time_ns"):
            words("time", at, place, cell["Time"])
            words("percent of peak", at, place, cell["Of peak"])
            words("% of library", at, place, cell.get("Of library"))
        if at in steps:
            words("speed-up", at, place, cell["Speed-up"])
            found = re.search(NUMBER + "–" + NUMBER, cell["Evidence"])
            if found:
                words("low", at, place, found.group(1))
                words("high", at, place, found.group(2))
            for title in titles[at]:
                if cell["Main cause"].startswith(title + " ") and cell["Main cause"][
                        len(title) + 1] in "+−":
                    same("main cause", at, place, title)
                    moved("saved by a cause", (*at, title), place,
                          cell["Main cause"][len(title) + 1:])
    for key, sentence in re.findall(r'id="step=[^/"]*/([^"]*)".*?data-part="headline">(.*?)</span>',
                                    page, re.DOTALL):
        said_of((family, by_key(family, key), primary[family]), "ladder-*.html, step",
                plain(sentence))

    data = os.path.join(report, f"compare-{family}.js")
    data = json.loads(re.search(r"whyfast_compare\.add\((.*)\);", open(
        data, encoding="utf-8").read(), re.DOTALL).group(1)) if os.path.exists(data) else None
    for of in data["rungs"] if data else ():
        raw("time", (family, of["variant"], data["size"]), "compare-*.js", of["time_ns"], 6)
        for advice, amount, _ in of["remains"]:
            if data["advice"][advice]["title"] == "bank conflicts":
                words("cost of conflicts", (family, of["variant"], data["size"]), "compare-*.js",
                      re.search(NUMBER + " [nµm]?s", amount)[0])
    for a, b, verdict, speedup, low, high, floor, sentence, rows, _, others in data[
            "pairs"] if data else ():
        of_pair("compare-*.js", family, data["size"], data["rungs"][a]["variant"],
                data["rungs"][b]["variant"], speedup, low, high, data["verdicts"][verdict])
        for (size, _), other in zip(data["sizes"], others):
            at = family, data["rungs"][b]["variant"], size
            if other and at in steps and steps[at]["after"] == data["rungs"][a]["variant"]:
                raw("speed-up", at, "compare-*.js, other sizes", other[0], 5)
                same("evidence", at, "compare-*.js, other sizes", data["verdicts"][other[1]])
                same("evidence", at, "steps.csv", steps[at]["evidence"])
        at = family, data["rungs"][b]["variant"], data["size"]
        if at in steps and steps[at]["after"] == data["rungs"][a]["variant"]:
            for kind, value in (("speed-up", speedup), ("low", low), ("high", high)):
                raw(kind, at, "compare-*.js", value, 5)
            raw("noise floor", at, "compare-*.js", floor, 3)
            said_of(at, "compare-*.js", "".join(
                data["phrases"][int(piece)] if i % 2 else piece
                for i, piece in enumerate(sentence.split("|"))))
            for cause, saved, share, *_ in rows or ():
                key = (*at, data["causes"][cause]["title"])
                # Computed anew from the tables, which have nine digits of the times.
                raw("saved by a cause", key, "compare-*.js", saved, 4,
                    1e-8 * data["rungs"][b]["time_ns"])
                raw("share", key, "compare-*.js", share, 3)


def row_of_ladder(place, family, top, cell):
    """A row about a whole ladder on index.html, or in report.md."""
    at = family, top, primary[family]
    first = next((v for f, v in variants if f == family and (f, v, primary[f]) in best
                  and not variants[f, v]["after"] and variants[f, v]["kind"] == "kernel"), None)
    times = re.findall(NUMBER + r" (ns|µs|ms|s)\b", cell[0])
    if times:
        words("time", at, place, " ".join(times[-1]))
    if len(times) > 1:
        words("time", (family, first, primary[family]), place, " ".join(times[0]))
    words("speed-up over the first", at, place, cell[1])
    words("× library", at, place, cell[2])
    found = re.match(NUMBER + "×", cell[2])
    if found:
        beside(at, place, "even" if "as fast" in cell[2] else
               "faster" if float(found.group(1)) > 1 else "slower")
    words("percent of peak", at, place, cell[3].partition("%")[0])


index, markdown = text_of("index.html"), text_of("report.md")
for row in re.findall(r"<tbody[^>]*>(.*?)</tbody>", index, re.DOTALL):
    found, cell = re.search(r'href="ladder-([^".]*)\.html#step=[^/]*/([^"&]*)"', row), labelled(row)
    if found and "First → fastest" in cell:
        row_of_ladder("index.html", found.group(1), by_key(*found.groups()), [
            cell[name] for name in ("First → fastest", "Speed-up", "× library", "Of peak")])
current = None
for line in markdown.split("\n"):
    cell = [c.strip() for c in line.strip("|").split("|")]
    if line.startswith("## "):
        current = next((f for f, facts in families.items() if facts["title"] == line[3:]), None)
    elif line.startswith("| ") and len(cell) == 6:
        family = next((f for f, facts in families.items() if facts["title"] == cell[0]), None)
        top = re.search(r"→ (.*) [0-9.]+ [nµm]?s", cell[2]) if family else None
        if top:
            row_of_ladder("report.md", family, by_title.get((family, top.group(1))), cell[2:])
    elif line.startswith("| ") and current and len(cell) == 4:
        at = current, by_key(current, cell[0].split()[0]), primary[current]
        if at in best and best[at]["time_ns"]:
            words("time", at, "report.md", cell[1])
        if at in steps:
            words("speed-up", at, "report.md", cell[2])
            said_of(at, "report.md", cell[3])

for name, row in re.findall(r'class="kernel" id="([^"]*)"[^>]*>(.*?)</p>', text_of("conflicts.html"),
                            re.DOTALL):
    family = name.partition("-")[0]
    at = family, name.partition("-")[2], primary[family]
    cost, share = re.findall(r'class="number">([^<]*)<', row)
    least = re.match(NUMBER + "–" + NUMBER + r"\s*(ns|µs|ms|s)", cost)
    words("least cost of conflicts" if least else "cost of conflicts", at, "conflicts.html",
          f"{least.group(1)} {least.group(3)}" if least else cost)
    words("share of conflicts", at, "conflicts.html", share)
    found = re.search(NUMBER + " excess wavefronts", plain(row.split("</summary>")[1]))
    words("excess wavefronts", at, "conflicts.html", found and found.group(1))
    found = re.search(NUMBER + r" (ns|µs|ms|s)\.", plain(row.split("</summary>")[1]))
    words("time", at, "conflicts.html", found and found.group(0))

# ---- the terminal --------------------------------------------------------------------------------


def asked(*arguments, columns="80"):
    terminal = {**os.environ, "COLUMNS": columns, "WHYFAST_ASCII": "0"}
    return subprocess.run([program, *arguments], capture_output=True, check=True,
                          encoding="utf-8", env=terminal).stdout


def unit_of(head, screen):
    """The unit of a column of times, in ns."""
    found = re.search(head + r", ([nµm]?s)\b", screen)
    return UNITS[found.group(1)] if found else 1.0


for family in families if program else ():
    for row in json.loads(asked("explain", report, family, "--json"))["steps"]:
        at, place = key_of(row), "explain FAMILY --json"
        raw("time", at, place, row["time_ns"])
        raw("speed-up", at, place, row["speedup"] if at in steps else None)
        if row["title"]:
            raw("saved by a cause", (*at, row["title"]), place, row["saved_ns"])
            same("main cause", at, place, row["title"])
        if at in steps:
            said_of(at, place, row["sentence"])
            same("verdict", at, place, row["verdict"])
    screen = asked("explain", report, family, columns="200")
    unit = unit_of("time", screen)
    for line in screen.split("\n"):
        found = re.match(r"(\S+) +([0-9.]+) +([0-9.]+)× +(.*)", line)
        at, place = (family, found and found.group(1), primary[family]), "explain FAMILY"
        if not found or at not in steps:
            continue
        words("time", at, place, found.group(2), unit)
        words("speed-up", at, place, found.group(3))
        title, time, share = re.fullmatch(r"(?:over \S+: )?(.*?)(?:, ([+−].*?))?(?:, (\d+ %) of it)?",
                                          found.group(4)).groups()
        if title in titles[at]:
            moved("saved by a cause", (*at, title), place, time)
            words("share", (*at, title), place, share)
            same("main cause", at, place, title)
for at in steps if program else ():
    if at[2] != primary[at[0]] or not steps[at]["speedup_prev"]:
        continue
    told = json.loads(asked("explain", report, "/".join(at[:2]), "-s", at[2], "--json"))
    library = libraries.get((at[0], at[2]))
    if library and variants[at[:2]]["rung"] == max((v["rung"] for v in variants.values() if v[
            "family"] == at[0] and v["kind"] == "kernel"), key=int):
        pair = json.loads(asked("explain", report, f"{at[0]}/{library}", "/".join(at[:2]), "-s",
                                at[2], "--json"))
        of_pair("explain LIBRARY RUNG --json", at[0], at[2], library, at[1], pair["speedup"],
                pair["low"], pair["high"], pair["verdict"])
    if told["before"]["variant"] != f"{at[0]}/{steps[at]['after']}":
        continue
    place = "explain --json"
    for kind, name in (("speed-up", "speedup"), ("low", "low"), ("high", "high"),
                       ("noise floor", "floor_pct")):
        raw(kind, at, place, told[name])
    raw("time", at, place, told["after"]["time_ns"])
    raw("time", (at[0], steps[at]["after"], at[2]), place, told["before"]["time_ns"])
    said_of(at, place, told["sentence"])
    same("verdict", at, place, told["verdict"])
    # It is computed anew from the tables, which have nine digits of the times.
    slack = 1e-8 * told["before"]["time_ns"]
    change = abs(told["before"]["time_ns"] - told["after"]["time_ns"])
    for c in told["causes"]:
        key = (*at, c["title"])
        raw("saved by a cause", key, place, c["saved_ns"], 6, slack)
        raw("share", key, place, c["share_pct"], 6,
            100 * slack * (1 + abs(c["share_pct"] or 0) / 100) / max(change, slack))
        raw("witness before", key, place, c["witness_before"])
        raw("witness after", key, place, c["witness_after"])
    screen, place = asked("explain", report, "/".join(at[:2]), "-s", at[2]), "explain"
    found = re.search(NUMBER + r" (ns|µs|ms|s) -> " + NUMBER + r" (ns|µs|ms|s): " + NUMBER +
                      r" times as fast(?: \[" + NUMBER + " to " + NUMBER + r"\])?", screen)
    if found:
        words("time", (at[0], steps[at]["after"], at[2]), place, " ".join(found.group(1, 2)))
        words("time", at, place, " ".join(found.group(3, 4)))
        words("speed-up", at, place, found.group(5))
        words("low", at, place, found.group(6))
        words("high", at, place, found.group(7))
    said_of(at, place, " ".join(screen.partition("\n\n")[0].partition(at[2])[2].split()))
    unit = re.search(r"change, ([nµm]?s)|$", screen)
    for line in screen.split("\n"):
        row = re.match(r" *([+−][0-9.]+) +[ ░█▓▒<>◀▶]*  (\S.*?)(?: \([^()]*\))?$", line)
        if row and row.group(2) in titles[at]:
            moved("saved by a cause", (*at, row.group(2)), place, f"{row.group(1)} {unit.group(1)}", slack)
if program:
    for c in json.loads(asked("conflicts", report, "--json"))["kernels"]:
        place = "conflicts --json"
        raw("cost of conflicts", key_of(c), place, c["cost_ns"])
        raw("share of conflicts", key_of(c), place, c["share_pct"])
        raw("excess wavefronts", key_of(c), place, c["excess"])
        raw("time", key_of(c), place, c["time_ns"])
    name = unit = None
    for line in asked("conflicts", report, "-v").split("\n"):
        unit = unit_of("cost", line) if " cost, " in line else unit
        ranked = re.match(r" *\d+ +" + NUMBER + " +" + NUMBER + r"  ([a-z_0-9]+)/(\w+)( |$)", line)
        row = re.match(r" +([0-9.]+) .*(?:measured|estimated) +" + NUMBER + "   ", line)
        if re.match(r"[a-z_0-9]+/\w+$", line):
            name = line.split("/")
        elif row and name:
            at = name[0], name[1], primary[name[0]]
            words("cost of conflicts", at, "conflicts", row.group(1), unit)
            words("share of conflicts", at, "conflicts", row.group(2))
        elif ranked:
            at = ranked.group(3), ranked.group(4), primary[ranked.group(3)]
            words("cost of conflicts", at, "ranking of conflicts", ranked.group(1), unit)
            words("share of conflicts", at, "ranking of conflicts", ranked.group(2))

# ---- what differs --------------------------------------------------------------------------------

kinds, seen = collections.Counter(), collections.Counter()
for (kind, key), found in places.items():
    if not found:
        continue
    low, high = max(found, key=lambda f: f[1]), min(found, key=lambda f: f[2])
    if low[1] > high[2]:
        print(f"{kind} of {' '.join(map(str, key))}: {(low[1] + low[2]) / 2:.8g} in {low[0]}, "
              f"{(high[1] + high[2]) / 2:.8g} in {high[0]}")
    if len({place for place, *_ in found}) > 1:
        kinds[kind] += 1
        seen.update({place for place, *_ in found})
for (kind, key), found in texts.items():
    for place, text in found[1:]:
        if text != found[0][1]:
            print(f"{kind} of {' '.join(key)}: '{found[0][1]}' in {found[0][0]}, '{text}' in {place}")
    kinds[kind] += len({place for place, _ in found}) > 1
print("; ".join(f"{name}: {count}" for counter in (kinds, seen)
                for name, count in sorted(counter.items())))
