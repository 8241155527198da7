"""Compares the numbers of pictures and pages with the tables: pictures.py REPORT.

A picture's numbers are in charts/NAME.csv, its title in charts.csv. Numbers in words must be those
of the table, rounded to the digits that they show. What is said of a step must be the same in
said.csv, on the page, in its data, in report.md and in pictures. Prints each difference, then the
number of comparisons.
"""

import collections
import csv
import html
import json
import math
import re
import sys

report = sys.argv[1]
compared = collections.Counter()
NUMBER = re.compile(r"[-+−]?[0-9]+(?:[ \u00a0\u202f][0-9]{3})*(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?")


def table(name):
    with open(f"{report}/{name}.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check(chart, words, is_so):
    compared[chart.split("-")[0]] += 1
    if not is_so:
        print(f"{chart}: {words}")


def numbers(text):
    return [re.sub("[ \u00a0\u202f]", "", n).replace("−", "-") for n in NUMBER.findall(text)]


def shows(text, value):
    """Whether one of the numbers in the text is the value, rounded."""
    for number in numbers(text):
        decimals = len(number.split("e")[0].partition(".")[2])
        if abs(abs(float(number)) - abs(value)) <= 0.51 * 10**-decimals:
            return True
    return False


def same(text, value):
    return text != "" and math.isclose(float(text), value, rel_tol=1e-6, abs_tol=1e-3)


def comma(text):
    return text.replace("\u201a", ",")


def in_us(text):
    """The time in microseconds that is written as in '1.372 ms'."""
    unit = {"ns": 1e-3, "us": 1, "µs": 1, "ms": 1e3, "s": 1e6}[text.split()[-1]]
    number = numbers(text)[0]
    return float(number) * unit, 0.51 * 10 ** -len(number.partition(".")[2]) * unit


def is_time(text, ns):
    shown, half = in_us(text)
    return abs(abs(shown) - abs(ns) / 1e3) <= half


variants = table("variants")
families = {f["family"]: f for f in table("families")}
label_of = {(v["family"], f"{int(v['rung'])} {v['title']}"): v["variant"] for v in variants}
title_of = {(v["family"], v["title"]): v["variant"] for v in variants}
rung_of = {(v["family"], v["variant"]): v["rung"] for v in variants}
key = lambda row: (row["family"], row["variant"], row["size"])
best = {key(m): m for m in table("metrics") if m["best"] == "1"}
steps = {key(s): s for s in table("steps") if key(s) in best and s["block"] == best[key(s)]["block"]
         and s["sweep"] == best[key(s)]["sweep"]}
said = collections.defaultdict(list)
for row in table("said"):
    if key(row) in steps and row["block"] == steps[key(row)]["block"]:
        said[key(row)].append(row)
head = {at: rows[0] for at, rows in said.items()}
causes = {at: rows[1:] for at, rows in said.items()}
busy = {(key(d), d["resource"]): float(d["pct"]) for d in table("demands") if d["pct"] and
        key(d) in best and d["block"] == best[key(d)]["block"] and
        d["sweep"] == best[key(d)]["sweep"]}
listed = {at: [c for c in rows if c["is_small"] == "0"] for at, rows in causes.items()}
main = {at: next((c for c in rows if c["is_main"] == "1"), None) for at, rows in causes.items()}
conflicts = {key(c): c for c in table("conflicts")}
useful = collections.defaultdict(float)
for point in table("points"):
    place = point["family"], point["size"]
    useful[place] = max(useful[place], float(point["useful_bytes"] or 0))


def variant(chart, label):
    label = re.sub(r" ← \d+$", "", comma(label))
    found = label_of.get((chart["family"], label)) or title_of.get((chart["family"], label))
    check(chart["chart"], f"no variant is called {label}", found)
    return found


def point(chart, label):
    return chart["family"], variant(chart, label), chart["size"]


def change(at):
    """The time before less that after, in ns."""
    before = best[at[0], steps[at]["after"], at[2]]
    return float(before["time_ns"]) - float(best[at]["time_ns"])


def slide(chart, rows):
    """Each bar is a gain over all rungs before it; together they multiply to the title."""
    name, gain = chart["chart"], 1
    for row in rows:
        value = float(row["value"])
        gain *= value
        check(name, f"{row['value_text']} is not {value}", shows(row["value_text"], value))
        check(name, f"{row['label']}: {value} is a loss", value > 1)
        if "other steps" in row["label"]:
            continue
        label, _, over = comma(row["label"]).partition(", over rung ")
        at, ratio = point(chart, label), 1
        cause = main.get(at)
        part = cause and (", partly offset" if abs(float(cause["saved_ns"])) > abs(
            float(head[at]["saved_ns"])) else f" of {head[at]['moved']}")
        check(name, f"{label}: {row['cause']} {row['amount']}", (row["cause"], comma(row["amount"])) == (
            (row["cause"], "") if over else (cause["title"], cause["moved"] + part) if cause
            else ("no main cause", "")))
        while True:
            ratio *= float(steps[at]["speedup_prev"])
            at = at[0], steps[at]["after"], at[2]
            if not over or rung_of[at[:2]] == over:
                break
        check(name, f"{label}: {value}", math.isclose(value, ratio, rel_tol=1e-6))
    check(name, f"title: {chart['title']}, {gain}", shows(chart["title"], gain))
    check(name, "no rung is so much faster than the first",
          any(math.isclose(gain, float(m["speedup_first"] or 0), rel_tol=1e-2)
              for at, m in best.items() if at[::2] == (chart["family"], chart["size"])))


def ladder(chart, rows):
    name, column = chart["chart"], "effective"
    columns = ["effective_gbs", "effective_low_gbs", "effective_high_gbs"]
    if families[chart["family"]]["rate"] == "operations":
        columns = ["tflops", "tflops_low", "tflops_high"]
    scale = 1
    takes = re.search(r" takes ([0-9.]+ [nµm]?s)", chart["title"])
    if takes:
        columns, scale = ["time_ns", "time_low_ns", "time_high_ns"], 1e3
    shown = []
    for row in rows:
        at = point(chart, row["label"])
        for cell, column in zip(["value", "low", "high"], columns):
            known = best[at][column] if at in best else ""
            check(name, f"{at}: {cell} {row[cell]}, {column} {known}",
                  row[cell] == known or same(row[cell], float(known or "nan") / scale))
        if row["value"]:
            check(name, f"{at}: {row['value_text']}",
                  is_time(row["value_text"], 1e3 * float(row["value"])) if takes
                  else shows(row["value_text"], float(row["value"])))
            shown += [float(row["value"])] if row["kind"] == "kernel" else []
    best_one = max(shown) if scale == 1 else min(shown)
    check(name, f"title: {chart['title']}, {best_one}", is_time(takes[1], 1e3 * best_one)
          if takes else shows(chart["title"], best_one))


def speedup(chart, rows):
    name = chart["chart"]
    for row in rows:
        step = steps[point(chart, row["label"])]
        for cell, column in (("value", "speedup_prev"), ("low", "speedup_prev_low"),
                             ("high", "speedup_prev_high")):
            check(name, f"{row['label']}: {cell} {row[cell]}, {step[column]}",
                  same(row[cell], float(step[column])))
        direction = head[point(chart, row["label"])]["direction"]
        check(name, f"{row['label']}: {row['direction']}", row["direction"] == direction)
        check(name, f"{row['label']}: {row['value_text']}",
              shows(row["value_text"], float(row["value"])))
    gains = [float(r["value"]) for r in rows if r["direction"] == "1"]
    loses = sum(r["direction"] == "-1" for r in rows)
    words = chart["title"].partition(";")[2] or chart["title"]
    if gains:
        check(name, f"title: {chart['title']}", shows(chart["title"].split(";")[0], max(gains)))
    for count in filter(None, (len(gains), loses, len(rows))):
        check(name, f"title: {chart['title']}, {count}", str(count) in numbers(words))


def conflict(chart, rows):
    name = chart["chart"]
    for row in rows:
        if chart["family"]:
            at = point(chart, row["label"])
        else:
            family, _, label = comma(row["label"]).partition("/")
            at = (family, label_of[family, label], max(
                (c["size"] for c in conflicts.values() if c["is_primary"] == "1"
                 and c["family"] == family)))
        if at not in conflicts:
            check(name, f"{at}: not counted", not row["value"])
            continue
        cost, share = conflicts[at]["cost_ns"], conflicts[at]["share_pct"]
        if row["value"]:
            for column in ("value", "low", "high"):
                of = conflicts[at]["cost_ns" if column == "value" else f"cost_{column}_ns"]
                check(name, f"{at}: {row[column]}, {of} ns", same(row[column], float(of) / 1e3))
            check(name, f"{at}: {row['value_text']}, {cost} ns, {share} %",
                  shows(row["value_text"].split("(")[0], float(cost) / 1e3)
                  and shows(row["value_text"].split("(")[1], float(share)))
            is_about = conflicts[at]["bound"] != "measured"
            check(name, f"{at}: {row['value_text']}, {conflicts[at]['bound']}",
                  row["estimated"] == str(int(is_about)) and ("about" in row["value_text"]) == is_about)
        else:
            check(name, f"{at}: no value, {share} %", conflicts[at]["is_small"] == "1"
                  or not float(cost or 0))
    # The title is about the kernel that loses most for sure, and says about if that is estimated.
    worst = max((r for r in rows if r["value"]), key=lambda r: float(r["low"]))
    check(name, f"title: {chart['title']}", shows(chart["title"], float(worst["value"]))
          and ("about" in chart["title"]) == (worst["estimated"] == "1"))


def waterfall(chart, rows):
    name, family, size = chart["chart"], chart["family"], chart["size"]
    at = point(chart, rows[-1]["label"])
    was = family, steps[at]["after"], size
    longest = max(float(best[of]["time_ns"]) for of in (was, at))
    per = 1e6 if longest >= 9999500 else 1e3 if longest >= 9999.5 else 1
    for row, of in ((rows[0], was), (rows[-1], at)):
        ns = float(best[of]["time_ns"])
        check(name, f"{of}: {row['value']}, {ns} ns", same(row["value"], ns / per))
        check(name, f"{of}: {row['value_text']}", is_time(row["value_text"], ns))
    check(name, f"{len(rows) - 2} of {len(listed[at])} causes", len(rows) == len(listed[at]) + 2)
    for row, cause in zip(rows[1:-1], listed[at]):
        ns, saved = per * (float(row["before"]) - float(row["value"])), float(cause["saved_ns"])
        is_marked = cause["direction"] != "0" and cause["note"]
        title = cause["title"] + (f" ({cause['note']})" if is_marked else "")
        check(name, f"{row['label']}, not {title}", comma(row["label"]) == title)
        check(name, f"{row['label']} ends below zero", float(row["value"]) >= 0)
        check(name, f"{row['label']}: {row['value_text']}, {ns} ns",
              is_time(row["value_text"], abs(saved))
              and row["value_text"].split()[-1] == rows[0]["value_text"].split()[-1]
              and (saved == 0 or (row["value_text"][0] == "−") == (saved > 0)))
        check(name, f"{row['label']}: {ns} ns, {saved} ns", abs(ns - saved) < 2 + 1e-6 * abs(ns))
        check(name, f"{row['label']}: {row['direction']}", row["direction"] == cause["direction"])
    words = re.sub(r"(?<=[ (])-", "−", head[at]["sentence"].rstrip("."))
    check(name, f"title: {chart['title']}, {words}", chart["title"] == words)


def by_cause(chart, rows):
    name, family, size = chart["chart"], chart["family"], chart["size"]
    most, mains = collections.defaultdict(float), set()
    for at, list_of in causes.items():
        for c in list_of:
            if at[::2] == (family, size) and float(c["direction"]):
                most[c["id"]] = max(most[c["id"]], abs(float(c["saved_ns"])))
                mains |= {c["id"]} if c["is_main"] == "1" else set()
    # Six, or all that are the main cause of a step, and so many that the others are at most a
    # quarter of each significant step.
    kept = sorted(most, key=lambda c: (c in mains, most[c]), reverse=True)[:max(6, len(mains))]
    largest, needed = collections.defaultdict(float), set(kept)
    for at, list_of in causes.items():
        amounts = {c["id"]: abs(float(c["saved_ns"])) for c in list_of if c["id"] != "rest"}
        if at[::2] != (family, size):
            continue
        for c, amount in amounts.items():
            largest[c] = max(largest[c], amount)
        others = 0
        for c in sorted(amounts.keys() - set(kept), key=lambda c: (amounts[c], c)):
            others += amounts[c]
            if head[at]["direction"] != "0" and others > 0.25 * sum(amounts.values()):
                needed.add(c)
    chosen = sorted(needed, key=largest.get, reverse=True)
    last = max(int(row["place"]) for row in rows)
    check(name, f"{last + 1} columns for {len(chosen)} causes", last == len(chosen) + 1)
    for row in rows:
        at, place = point(chart, row["label"]), int(row["place"])
        saved = {c["id"]: float(c["saved_ns"]) for c in causes[at] if c["id"] != "rest"}
        ns = (change(at) if place == last
              else sum(v for c, v in saved.items() if c not in chosen) if place == last - 1
              else saved[chosen[place]])
        text = row["value_text"]
        check(name, f"{at}, column {place}: {text}, {ns} ns saved", text == "·" or
              is_time(text + " µs", ns) and (text[0] == "−") == (ns > 0))
    check(name, f"title: {chart['title']}", any(
        is_time(chart["title"].split(", ")[-1], float(c["saved_ns"])) for at, list_of in causes.items()
        for c in list_of if at[::2] == (family, size) and float(c["direction"])))


def sizes(chart, rows):
    name, family = chart["chart"], chart["family"]
    known = {at[2] for at in steps if at[0] == family and steps[at]["speedup_prev"]}
    order = sorted(known, key=lambda size: (useful[family, size], size))
    for row in rows:
        at = family, variant(chart, row["label"]), order[int(row["place"])]
        check(name, f"{at}: {row['value_text']}",
              shows(row["value_text"], float(steps[at]["speedup_prev"])))


def ledger(chart, rows):
    drawn = {(comma(r["label"]).partition(" ")[2], r["part_text"]) for r in rows}
    said = re.fullmatch(r"“(.*)” spends (\d+) % on .*?(?:; “(.*)”, the fastest, (\d+) % on .*)?",
                        chart["title"])
    for title, share in filter(all, (said.groups()[:2], said.groups()[2:])):
        check(chart["chart"], f"title: {title}, {share} % is not drawn", (title, share) in drawn)
    shares = collections.defaultdict(lambda: collections.defaultdict(float))
    for row in rows:
        if row["total"]:
            at = point(chart, row["label"])
            ns = float(best[at]["time_ns"])
            check(chart["chart"], f"{at}: {row['time_text']}, {ns} ns",
                  is_time(row["time_text"], ns))
            shares[at][row["area"]] = 100 * float(row["us"]) / float(row["total"])
    for at, of in shares.items():
        # Useful work is the time in which the tensor cores are busy, while an SM has warps.
        pct = busy.get((at, "tensor"))
        if pct and float(best[at]["tensor_operations"] or 0):
            check("useful work", f"{at}: {of['work']:.1f} %, the tensor cores are busy {pct:.1f} %",
                  pct - 3 < of["work"] < pct + 0.1)
        # Where DRAM is at its limit, the time that it needs is global memory's, within the 1 % of a
        # closed ledger. Useful work of less than 5 % may be drawn with the instructions.
        pct = busy.get((at, "dram"), 0)
        room = 100 - (of["work"] or 5) - of["launch_and_tail"] - of["unexplained"]
        if pct >= 85:
            check("global memory", f"{at}: {of['global_memory']:.1f} %, DRAM needs {pct:.1f} %",
                  of["global_memory"] > min(pct, room) - 1)


def marks(chart, rows):
    """Each rung stands in the list, and its number beside its point."""
    shown = []
    for row in rows:
        for part in comma(row["mark"]).split(", ") if row["mark"] != "-" else ():
            first, _, last = part.partition("–")
            shown += range(int(first), int(last or first) + 1)
    known = {int(comma(row["label"]).split()[0]) for row in rows}
    check(chart["chart"], f"numbers {shown}, rungs {known}",
          known == set(shown) and len(shown) == len(set(shown)))


def library(chart, rows):
    """The colours of the points are those that the title counts."""
    faster = sum(row["direction"] == "1" for row in rows)
    said = re.search(r"faster at (\d+|none) of (\d+) sizes, slower at (\d+|none)", chart["title"])
    slower = sum(row["direction"] == "-1" for row in rows)
    check(chart["chart"], f"title: {chart['title']}, {faster} faster, {slower} slower",
          [str(n or "none") for n in (faster, len(rows), slower)] == [*said.groups()] if said
          else faster == len(rows))


readers = {"13_library": library, "17_roofline": marks, "30_times": marks, "00_slide": slide, "01_ladder": ladder, "02_speedup": speedup, "03_conflicts": conflict,
           "19_ledger": ledger, "20_waterfall": waterfall, "22_sizes": sizes,
           "24_causes": by_cause}
for chart in table("charts"):
    if chart["script"] in readers:
        readers[chart["script"]](chart, table("charts/" + chart["chart"]))
# A picture of another size than its ladder's says which in its title.
drawn_at = {c["family"]: c["size"] for c in table("charts") if c["script"] == "01_ladder"}
for chart in table("charts"):
    if chart["size"] and chart["family"] in drawn_at:
        is_other = chart["size"] != drawn_at[chart["family"]]
        check("size", f"title: {chart['title']}, {chart['size']}", is_other == bool(
            re.search(r" \((n = [0-9^]+|[0-9^]+( x [0-9^]+)+)\)$", chart["title"])))

# ---- the pages -----------------------------------------------------------------------------------


def cells(text):
    return [html.unescape(re.sub("<[^>]*>", "", c)).replace("\u00a0", " ").strip()
            for c in re.findall(r"<td[^>]*>(.*?)</td>", text, re.DOTALL)]


variant_of = {(v["family"], v["variant"]): v for v in variants}
primary_of = {}
for family, facts in families.items():
    sizes_of = {s for f, s in useful if f == family}
    primary_of[family] = facts["lines_size"] if facts["lines_size"] in sizes_of else max(
        sizes_of, key=lambda size: useful[family, size])


def is_main(at, words):
    """Whether words show the main cause of a step, in the unit of the table of the page."""
    if head[at]["is_open"] == "1" or not main[at]:
        return words == (head[at]["note"] if head[at]["is_open"] == "1" else "")
    title, moved, whole = (main[at][name] for name in ("title", "moved", "main_moved"))
    found = re.fullmatch(re.escape(title) + r" ([+−])([0-9.]+ [nµm]?s)(.*)", words)
    return bool(found) and found.group(1) == moved[0] and found.group(3) == whole[len(moved):] \
        and is_time(found.group(2), abs(float(main[at]["saved_ns"])))


with open(f"{report}/report.md", encoding="utf-8") as file:
    markdown = file.read().replace("\u00a0", " ")
for family, facts in families.items():
    with open(f"{report}/ladder-{family}.html", encoding="utf-8") as file:
        page = file.read()
    primary = primary_of[family]
    for name, row in re.findall(r'<tr\s+data-variant="([^"]*)">(.*?)</tr>', page, re.DOTALL):
        at, cell = (family, name, primary), cells(row)
        if not best.get(at, {}).get("time_ns"):
            continue
        check("page", f"{at}: {cell[1]}", is_time(cell[1], float(best[at]["time_ns"])))
        check("markdown", f"{at}: {cell[1]}", any(
            f"| {name[:2]} " in line and f"| {cell[1]} |" in line for line in markdown.split("\n")))
        if cell[2] and at in steps:
            check("page", f"{at}: {cell[2]}",
                  shows(cell[2].split()[0], float(steps[at]["speedup_prev"])))
        if at not in said:
            continue
        check("page", f"{at}: {cell[4]}", cell[4].startswith(head[at]["status"])
              or variant_of[at[:2]]["kind"] != "kernel" or variant_of[at[:2]]["fails"] != "")
        words = " ".join(cell[3].split())
        check("page", f"{at}: {words}, not {main[at]}", is_main(at, words))
    with open(f"{report}/ladder-{family}.js", encoding="utf-8") as file:
        text = file.read()
    data, named = [re.search(rf"\n{name}: \n?(.*?)\n?,\n/\*", text, re.DOTALL).group(1)
                   for name in ("steps", "causes")]
    for size, of in json.loads(data).items() if data.strip() else ():
        for name, step in of.items():
            at = family, name, size
            check("data", f"{at}: {step['sentence']}", step["sentence"] == head[at]["sentence"])
            check("data", f"{at}: {step['verdict']}", step["verdict"] == head[at]["status"])
            check("data", f"{at}: {len(step['causes'])} causes",
                  [(c["id"], c.get("title") or json.loads(named)[c["id"]]["title"], c.get("moved"),
                    str(c.get("direction", 0)), str(c.get("is_main", 0)))
                   for c in step["causes"]]
                  == [(c["id"], c["title"], c["moved"] if "1" in (c["is_main"], c["proves"]) else
                       None, c["direction"], c["is_main"]) for c in listed[at]])
for at in said:
    if at[2] == primary_of[at[0]]:
        check("markdown", f"{at}: {head[at]['sentence']}",
              f"| {head[at]['sentence']} |\n" in markdown)

with open(f"{report}/conflicts.html", encoding="utf-8") as file:
    page = file.read()
for name, row in re.findall(r'class="kernel" id="([^"]*)"[^>]*>(.*?)</summary>', page, re.DOTALL):
    cost, share = [html.unescape(c).replace("\u00a0", " ")
                   for c in re.findall(r'class="number">([^<]*)<', row)]
    known = [c for c in conflicts.values() if c["is_primary"] == "1"
             and f"{c['family']}-{c['variant']}" == name]
    of = known[0]
    if of["bound"] == "measured":
        is_cost = is_time(cost, float(of["cost_ns"]))
    else:
        least, _, most = cost.partition("–")
        is_cost = is_time(f"{least} {most.split()[-1]}", float(of["cost_low_ns"])) \
            and is_time(most, float(of["cost_high_ns"])) and share.startswith("≈ ")
    check("page", f"{name}: {cost}, {share}", is_cost and shows(share, float(of["share_pct"])))

print(" ".join(f"{name}:{count}" for name, count in sorted(compared.items())))
