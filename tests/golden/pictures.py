"""Compares the numbers of pictures and pages with the tables: pictures.py REPORT RECORDS [WHYFAST].

A picture's numbers are in charts/NAME.csv, its title in charts.csv. Numbers in words must be those
of the table, rounded to the digits that they show. Prints each difference, then the number of
comparisons.
"""

import collections
import csv
import html
import json
import math
import re
import subprocess
import sys

report, records = sys.argv[1:3]
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


titles = {}
with open(f"{records}/causes.metric", encoding="utf-8") as file:
    for line in file:
        word = line.split()
        if line.startswith("cause "):
            name = word[1]
        elif word and word[0] == "title":
            titles[name] = " ".join(word[1:])

variants = table("variants")
families = {f["family"]: f for f in table("families")}
label_of = {(v["family"], f"{int(v['rung'])} {v['title']}"): v["variant"] for v in variants}
title_of = {(v["family"], v["title"]): v["variant"] for v in variants}
key = lambda row: (row["family"], row["variant"], row["size"])
best = {key(m): m for m in table("metrics") if m["best"] == "1"}
steps = {key(s): s for s in table("steps") if key(s) in best and s["block"] == best[key(s)]["block"]
         and s["sweep"] == best[key(s)]["sweep"]}
causes = collections.defaultdict(list)
for cause in table("causes"):
    causes[key(cause)].append(cause)
alone = {(*key(d), d["cause"], d["detail"]): float(d["saved_ns"]) for d in table("details")}


def named(cause, within):
    """The title of a cause and what it saves: those of its leading detail if the two savings differ
    by no more than this part, else its own."""
    saved = float(cause["saved_ns"])
    part = alone.get((*key(cause), cause["cause"], cause["detail"]), math.inf)
    if cause["detail"] and abs(part - saved) <= within * abs(saved):
        return titles[cause["detail"]], part
    return titles[cause["cause"]], saved


headlines = {key(h): h["headline"] for h in table("headlines")}
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
    name, gain = chart["chart"], 1
    for row in rows:
        gain *= float(row["value"])
        check(name, f"{row['value_text']} is not {row['value']}",
              shows(row["value_text"], float(row["value"])))
        if "other steps" not in row["label"]:
            at = point(chart, row["label"])
            check(name, f"{at}: {row['value']}",
                  same(row["value"], float(steps[at]["speedup_prev"])))
    check(name, f"title: {chart['title']}, {gain}", shows(chart["title"], gain))
    check(name, "no rung is so much faster than the first",
          any(math.isclose(gain, float(m["speedup_first"] or 0), rel_tol=1e-2)
              for at, m in best.items() if at[::2] == (chart["family"], chart["size"])))


def ladder(chart, rows):
    name, column = chart["chart"], "effective"
    columns = ["effective_gbs", "effective_low_gbs", "effective_high_gbs"]
    if families[chart["family"]]["rate"] == "operations":
        columns = ["tflops", "tflops_low", "tflops_high"]
    most = 0
    for row in rows:
        at = point(chart, row["label"])
        for cell, column in zip(["value", "low", "high"], columns):
            known = best[at][column] if at in best else ""
            check(name, f"{at}: {cell} {row[cell]}, {column} {known}",
                  row[cell] == known or same(row[cell], float(known or "nan")))
        if row["value"]:
            check(name, f"{at}: {row['value_text']}",
                  shows(row["value_text"], float(row["value"])))
            most = max(most, float(row["value"]) if row["kind"] == "kernel" else 0)
    check(name, f"title: {chart['title']}, {most}", shows(chart["title"], most))


def speedup(chart, rows):
    name = chart["chart"]
    for row in rows:
        step = steps[point(chart, row["label"])]
        for cell, column in (("value", "speedup_prev"), ("low", "speedup_prev_low"),
                             ("high", "speedup_prev_high")):
            check(name, f"{row['label']}: {cell} {row[cell]}, {step[column]}",
                  same(row[cell], float(step[column])))
        check(name, f"{row['label']}: {row['evidence']}", row["evidence"] == step["evidence"])
        check(name, f"{row['label']}: {row['value_text']}",
              shows(row["value_text"], float(row["value"])))
    gains = [float(r["value"]) for r in rows if r["evidence"] == "faster"]
    loses = sum(r["evidence"] == "slower" for r in rows)
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
        cost, share = conflicts[at]["cost_ns"], conflicts[at]["share_pct"]
        if row["value"]:
            check(name, f"{at}: {row['value']}, {cost} ns", same(row["value"], float(cost) / 1e3))
            check(name, f"{at}: {row['value_text']}, {cost} ns, {share} %",
                  shows(row["value_text"].split("(")[0], float(cost) / 1e3)
                  and shows(row["value_text"].split("(")[1], float(share)))
        else:
            check(name, f"{at}: no value, {share} %", float(share or 0) < 0.1)
    check(name, f"title: {chart['title']}",
          shows(chart["title"], max(float(r["value"] or 0) for r in rows)))


def waterfall(chart, rows):
    name, family, size = chart["chart"], chart["family"], chart["size"]
    at = point(chart, rows[-1]["label"])
    saved = {named(c, 0.05)[0]: float(c["saved_ns"]) for c in causes[at]}
    was = family, steps[at]["after"], size
    for row, of in ((rows[0], was), (rows[-1], at)):
        ns = float(best[of]["time_ns"])
        check(name, f"{of}: {row['value']}, {ns} ns", same(row["value"], ns / 1e3))
        check(name, f"{of}: {row['value_text']}", shows(row["value_text"], ns / 1e3))
    is_unfit = len(rows) == 3 and rows[1]["kind"] == "rest"
    for row in rows[1:-1]:
        ns = 1e3 * (float(row["before"]) - float(row["value"]))
        check(name, f"{row['label']} ends below zero", float(row["value"]) >= 0)
        check(name, f"{row['label']}: {row['value_text']}, {ns} ns",
              shows(row["value_text"], ns / 1e3)
              and (row["value_text"] == "0" or (row["value_text"][0] == "−") == (ns > 0)))
        if "smaller ones" not in row["label"]:
            known = change(at) if is_unfit else saved.get(comma(row["label"]), math.nan)
            check(name, f"{row['label']}: {ns} ns, {known} ns", abs(ns - known) < 2 + 1e-6 * abs(ns))
    words = headlines[at].rstrip(".").replace("-", "−")
    check(name, f"title: {chart['title']}, {words}", chart["title"] == words)


def by_cause(chart, rows):
    name, family, size = chart["chart"], chart["family"], chart["size"]
    most = collections.defaultdict(float)
    for at, list_of in causes.items():
        for c in list_of:
            if at[::2] == (family, size) and c["status"] == "resolved" and at in steps:
                most[c["cause"]] = max(most[c["cause"]], abs(float(c["saved_ns"])))
    chosen = sorted(most, key=most.get, reverse=True)[:7]
    last = max(int(row["place"]) for row in rows)
    check(name, f"{last + 1} columns for {len(chosen)} causes", last == len(chosen) + 1)
    for row in rows:
        at, place = point(chart, row["label"]), int(row["place"])
        saved = {c["cause"]: float(c["saved_ns"]) for c in causes[at]}
        ns = (change(at) if place == last
              else sum(v for c, v in saved.items() if c not in chosen) if place == last - 1
              else saved[chosen[place]])
        text = row["value_text"]
        check(name, f"{at}, column {place}: {text}, {ns} ns saved", text == "·" or
              shows(text, ns / 1e3) and (text[0] == "−") == (ns > 0))
    check(name, f"title: {chart['title']}", any(
        shows(chart["title"], float(c["saved_ns"]) / 1e3) for at, list_of in causes.items()
        for c in list_of if at[::2] == (family, size) and c["status"] == "resolved"))


def sizes(chart, rows):
    name, family = chart["chart"], chart["family"]
    known = {at[2] for at in steps if at[0] == family and steps[at]["speedup_prev"]}
    order = sorted(known, key=lambda size: (useful[family, size], size))
    for row in rows:
        at = family, variant(chart, row["label"]), order[int(row["place"])]
        check(name, f"{at}: {row['value_text']}",
              shows(row["value_text"], float(steps[at]["speedup_prev"])))


def ledger(chart, rows):
    for row in rows:
        if row["total"]:
            at = point(chart, row["label"])
            ns = float(best[at]["time_ns"])
            check(chart["chart"], f"{at}: {row['time_text']}, {ns} ns",
                  shows(row["time_text"], ns / 1e3))


readers = {"00_slide": slide, "01_ladder": ladder, "02_speedup": speedup, "03_conflicts": conflict,
           "19_ledger": ledger, "20_waterfall": waterfall, "22_sizes": sizes,
           "24_causes": by_cause}
for chart in table("charts"):
    if chart["script"] in readers:
        readers[chart["script"]](chart, table("charts/" + chart["chart"]))

# ---- the pages -----------------------------------------------------------------------------------


def cells(text):
    return [html.unescape(re.sub("<[^>]*>", "", c)).replace("\u00a0", " ").strip()
            for c in re.findall(r"<td[^>]*>(.*?)</td>", text, re.DOTALL)]


for family, facts in families.items():
    with open(f"{report}/ladder-{family}.html", encoding="utf-8") as file:
        page = file.read()
    sizes_of = {s for f, s in useful if f == family}
    primary = facts["lines_size"] if facts["lines_size"] in sizes_of else max(
        sizes_of, key=lambda size: useful[family, size])
    for name, row in re.findall(r'<tr\s+data-variant="([^"]*)">(.*?)</tr>', page, re.DOTALL):
        at, cell = (family, name, primary), cells(row)
        if not best.get(at, {}).get("time_ns"):
            continue
        check("page", f"{at}: {cell[1]}", is_time(cell[1], float(best[at]["time_ns"])))
        if cell[2] and at in steps:
            check("page", f"{at}: {cell[2]}",
                  shows(cell[2].split()[0], float(steps[at]["speedup_prev"])))
        if cell[3]:
            words = " ".join(cell[3].split())
            rest = [float(c["share_pct"]) for c in causes[at] if c["cause"] == "residual"]
            is_open = bool(rest) and abs(rest[0]) > 50
            check("page", f"{at}: {words}", words == "mostly not explained" if is_open else any(
                words.startswith(title) and is_time(words[len(title):], saved)
                and ("−" in words) == (saved > 0)
                for title, saved in (named(c, 0.2) for c in causes[at])))

with open(f"{report}/conflicts.html", encoding="utf-8") as file:
    page = file.read()
for name, row in re.findall(r'class="kernel" id="([^"]*)">(.*?)</summary>', page, re.DOTALL):
    cost, share = [html.unescape(c).replace("\u00a0", " ")
                   for c in re.findall(r'class="number">([^<]*)<', row)]
    known = [c for c in conflicts.values() if c["is_primary"] == "1"
             and f"{c['family']}-{c['variant']}" == name]
    check("page", f"{name}: {cost}, {share}", is_time(cost, float(known[0]["cost_ns"]))
          and shows(share, float(known[0]["share_pct"])))

# ---- the terminal --------------------------------------------------------------------------------

for at in list(steps)[::40] if len(sys.argv) > 3 else []:
    command = [sys.argv[3], "explain", report, "/".join(at[:2]), "-s", at[2], "--json"]
    told = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    check("explain", f"{at}: speed-up {told['speedup']}",
          same(steps[at]["speedup_prev"], told["speedup"]))
    check("explain", f"{at}: headline {told['headline']}", told["headline"] == headlines[at])
    check("explain", f"{at}: {told['after']['time_ns']} ns",
          same(best[at]["time_ns"], told["after"]["time_ns"]))
    known = {c["cause"]: float(c["saved_ns"]) for c in causes[at]}
    for c in told["causes"]:
        check("explain", f"{at}: {c['cause']} {c['saved_ns']}",
              abs(known.get(c["cause"], math.nan) - c["saved_ns"]) < 1 + 1e-6 * abs(c["saved_ns"]))

print(" ".join(f"{name}:{count}" for name, count in sorted(compared.items())))
