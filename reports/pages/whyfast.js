/* The interactive parts of the pages of a report. A ladder's page has its tables without this
 * script; its data are in ladder-<family>.js, which calls whyfast.ladder. Text of a run only ever
 * becomes the text of a node. The address holds the state: #step=gemm/11&size=8192x8192x8192. */
"use strict";

const whyfast = (() => {
  const ladders = {};
  const SVG = "http://www.w3.org/2000/svg";

  /* ---- nodes ---- */

  /* No line breaks between a number and its unit, or in "n = 5"; 2^24 has raised digits. Code is put as a Text, which stays
     as it is. */
  const raised = words => words.replace(/(?<![\w.^])2\^(\d+)(?!\w)/g, (_, power) => "2" + [...power].map(digit => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join(""));
  const joined = words => raised(words).replace(/(\d) (?=(%|ns|µs|ms|s|GB\/s|KiB|MiB|GB|TFLOP\/s|MHz|W|k)(?![\w%]))/g, "$1\u00a0").replace(/\bn = /g, "n\u00a0=\u00a0");
  function put(node, parts) {
    for (const part of parts.flat(Infinity))
      if (part != null && part !== "") node.append(typeof part === "string" ? joined(part) : part);
    return node;
  }
  function make(tag, attributes, ...parts) {
    const node = document.createElement(tag);
    for (const name in attributes) if (attributes[name] != null) node.setAttribute(name, attributes[name]);
    return put(node, parts);
  }
  function draw(tag, attributes, ...parts) {
    const node = document.createElementNS(SVG, tag);
    for (const name in attributes) if (attributes[name] != null) node.setAttribute(name, attributes[name]);
    return put(node, parts);
  }
  function fill(node, ...parts) {
    if (node) node.replaceChildren(put(document.createDocumentFragment(), parts));
  }
  const part = (section, name) => section.querySelector(`[data-part="${name}"]`);
  const parts = (section, name) => section.querySelectorAll(`[data-part="${name}"]`);

  /* ---- numbers ---- */

  /* Numbers look as the program writes them (tests/browser/formats.csv), but for a longer minus. */
  const spaced = digits => digits.length > 4 ? digits.replace(/\B(?=(\d{3})+$)/g, "\u202f") : digits;
  /* The even neighbour of a number that is half-way between two, as in C. */
  function fixed(size, decimals) {
    const scale = 10 ** decimals, is_half = size * 16 % 1 === 0 && size * scale % 1 === 0.5;
    return (is_half ? 2 * Math.round(size * scale / 2) / scale : size).toFixed(decimals);
  }
  function human(value) {
    if (value == null) return "–";
    const size = Math.abs(value), minus = value < 0 ? "−" : "";
    if (size > 0 && size < 1e-4) {
      const [digits, power] = size.toExponential(2).split("e-");
      return `${minus}${Number(digits)}e-${power.padStart(2, "0")}`;
    }
    if (size < 1) return minus + Number(size.toPrecision(3));
    const decimals = Number.isInteger(value) || size >= 1000 ? 0 : size >= 100 ? 1 : 2;
    const [whole, rest] = fixed(size, decimals).split(".");
    return minus + spaced(whole) + (rest ? `.${rest}` : "");
  }
  const units = ["ns", "µs", "ms", "s"];
  function time(ns, sign) {
    let size = Math.abs(ns), unit = 0;
    for (; size >= 999.95 && unit < 3; unit++) size /= 1000;
    const digits = size < 0.0005 ? 0 : size < 9.9995 ? 3 : size < 99.995 ? 2 : 1;
    return (ns < 0 ? "−" : sign && ns > 0 ? "+" : "") + `${fixed(size, digits)}\u00a0${units[unit]}`;
  }
  /* How the times of a column or picture are written (struct text_times): in one unit, which those beside them share. Of a
   * column the points are below one another. */
  const bare = words => words.replace(/[\u2007\u2008]/g, "");
  function column(all, are_parts, beside = []) {
    const sizes = all.filter(ns => ns).map(Math.abs), widest = Math.max(0, ...sizes), least = Math.min(widest, ...sizes);
    let unit = 0, scale = 1;
    for (const most = Math.max(widest, ...beside); most / scale >= 9999.5 && unit < 3; unit++) scale *= 1000;
    const most = 3 * unit + 3;
    const needed = (size, limit, most) => {
      let decimals = 0;
      for (; size < limit && decimals < most; limit /= 10) decimals++;
      return decimals;
    };
    const decimals = size => size < 0.5 / 10 ** most ? 0
      : are_parts ? Math.max(needed(size, 0.95, most), needed(widest / scale, 999.95, 3)) : needed(size, 999.95, most);
    return (ns, sign) => {
      if (ns == null) return "–";
      const size = Math.abs(ns) / scale, own = decimals(size), blank = decimals(least / scale) - own;
      return (ns < 0 ? "−" : sign && ns > 0 ? "+" : "") + fixed(size, own)
        + (blank > 0 ? (own ? "" : "\u2008") + "\u2007".repeat(blank) : "") + `\u00a0${units[unit]}`;
    };
  }
  const changes = (before, after, rows) => column(rows.map(row => row.saved_ns), true, [before, after]);
  /* The class of a cause's colour is the id of its area; several causes together have none. */
  const dot = area => make("i", { class: `dot ${area || "several"}` });
  const legend = (areas, rows) => make("div", { class: "legend" }, areas.filter(({ id }) => !rows || rows.some(({ areas = {} }) => areas[id] > 0))
    .map(area => make("span", {}, dot(area.id), area.title)));

  /* ---- state ---- */

  const state = { family: null, variant: null, size: null, unit: "percent" };

  function read_address() {
    const wanted = new URLSearchParams(location.hash.slice(1).replace(/\+/g, "%2B"));
    const [family, rung] = (wanted.get("step") || "").split("/");
    /* A link to a part of the page leaves the step as it is. */
    if (location.hash.length > 1 && !wanted.has("step") && !wanted.has("ladder") && ladders[state.family] &&
      ladders[state.family].rungs.some(r => r.variant === state.variant)) return false;
    const name = ladders[family] ? family : wanted.get("ladder") || state.family || Object.keys(ladders)[0];
    const data = ladders[name];
    if (!data) return false;
    state.family = name;
    const found = data.rungs.find(r => r.key === rung || r.variant === rung || Number(r.key) === Number(rung));
    state.variant = found ? found.variant : null;
    const size = wanted.get("size");
    state.size = data.sizes.some(s => s.size === size) ? size : data.sizes.length ? data.sizes[0].size : null;
    return Boolean(found);
  }
  function address(changes) {
    const next = { variant: state.variant, size: state.size, ...changes };
    const data = ladders[state.family], rung = data.rungs.find(r => r.variant === next.variant);
    const words = [rung ? `step=${state.family}/${rung.key}` : `ladder=${state.family}`];
    if (next.size !== data.sizes[0].size) words.push(`size=${next.size}`);
    return "#" + words.join("&");
  }
  const go = changes => { location.hash = address(changes); };
  /* The sizes in order: the data have the primary one first. */
  const by_size = data => [...data.sizes].sort((a, b) => a.bytes - b.bytes);
  const compare_page = (data, before, after) => `compare.html#a=${data.family}/${before.key}&b=${data.family}/${after.key}${
    state.size === data.sizes[0].size ? "" : `&size=${state.size}`}`;

  /* ---- the overview: all rungs, time by group ---- */

  const shorter = (words, most) => words.length > most ? words.slice(0, most - 1) + "…" : words;

  /* What the page lists. */
  const noun = () => shown && shown.dataset.noun || "rung";

  /* A bar for each row {name, ns, areas, variant}: its time by group. `length(ns, room)` is that of a bar. */
  function bars(wide, groups, rows, length) {
    const small = wide < 620, left = small ? 2 : 240, right = 84, under = small ? 16 : 0, row = 22 + under, room = wide - left - right;
    const write = column(rows.map(row => row.ns));
    return draw("svg", { class: "plot", viewBox: `0 0 ${wide} ${rows.length * row + 6}`, height: rows.length * row + 6,
      role: "img", "aria-label": `Time of each ${noun()} by group of causes` }, rows.map(({ name, ns, areas = {}, variant }, index) => {
      const top = index * row + 3, y = top + under, whole = length(ns, room), parts = groups.filter(({ id }) => areas[id] > 0);
      const sum = parts.reduce((total, { id }) => total + areas[id], 0);
      let x = left;
      return draw("g", variant ? { class: "row" + (variant === state.variant ? " chosen" : ""), "data-variant": variant } : {},
        variant ? draw("rect", { class: "hit", x: 0, y: top - 2, width: wide, height: row }) : null,
        draw("text", { x: 2, y: top + 13 }, shorter(name, small ? 44 : 36)),
        parts.length ? parts.map(({ id, title }) => {
          const width = Math.max(0, areas[id] / sum * whole);
          x += width;
          return draw("rect", { class: id, x: x - width, y, width, height: row - under - 6 },
            draw("title", {}, `${title}: ${time(areas[id])}, ${(100 * areas[id] / ns).toFixed(1)} %`));
        }) : draw("rect", { class: "several", x, y, width: Math.max(1, whole), height: row - under - 6, opacity: .4 }),
        draw("text", { class: "dim", x: left + whole + 6, y: y + 13 }, bare(write(ns))));
    }));
  }

  // How bars() is read beside the causes of a step.
  const bars_note = of => make("p", { class: "note" }, `A bar divides the time of one ${of} by what its warps do and wait for. The causes of a `
    + `change divide the difference of two ${of}s by what changed, so one cause may save more than its colour loses.`);

  function overview(data, target) {
    const points = data.times[state.size] || {};
    const rungs = data.rungs.filter(r => points[r.variant] && r.kind !== "cpu");
    if (!rungs.length) return fill(target, make("p", {}, `No ${noun()} was timed at this size.`));
    const most = Math.max(...rungs.map(r => points[r.variant].ns));
    const counted = rungs.some(r => Object.keys(points[r.variant].areas || {}).length);
    const shares = counted && state.unit === "percent";
    const svg = bars(paper || room, data.areas, rungs.map(r => {
      return { ...points[r.variant], name: `${r.key} ${r.title}`, variant: r.variant };
    }), (ns, room) => shares ? room : ns / most * room);
    for (const line of svg.children) line.addEventListener("click", () => go({ variant: line.dataset.variant }));
    const button = (words, name, value, off) => {
      const node = make("button", { type: "button", "aria-pressed": String(state[name] === value), disabled: off ? "" : null }, words);
      node.addEventListener("click", () => { state[name] = value; overview(data, target); });
      return node;
    };
    fill(target,
      ...counted ? [make("div", { class: "tools" }, button(`% of each ${noun()}`, "unit", "percent"), button("time", "unit", "time")),
      legend(data.areas, rungs.map(r => points[r.variant]))] : [make("p", { class: "note" }, "Only the times: at this size there is no account of the counters.")], svg,
      ...counted ? [bars_note(noun())] : [], make("p", { class: "note screen" }, noun() === "rung" ? "Click a rung to open its step." : "Click a kernel to open it."));
  }

  /* ---- the table of steps ---- */

  function table(data, main) {
    const points = data.times[state.size] || {}, steps = data.steps[state.size] || {};
    const time_of = column(Object.values(points).map(p => p.ns)), main_of = step => step && step.causes.find(c => c.is_main);
    const is_several = step => step.direction && step.causes.filter(c => c.direction === step.direction).length > 1;
    const moved_of = column(Object.values(steps).map(step => (main_of(step) || {}).saved_ns));
    let before = null;
    for (const rung of data.rungs) {
      const row = [...main.querySelectorAll(".steps tr[data-variant]")].find(r => r.dataset.variant === rung.variant);
      if (!row) continue;
      const point = points[rung.variant], step = steps[rung.variant], cell = row.cells;
      row.classList.toggle("chosen", rung.variant === state.variant);
      const main_cause = main_of(step);
      fill(cell[3], main_cause ? [dot(known_of(data, main_cause).area), term(data, main_cause), " ",
        make("span", { class: "unit" }, bare(moved_of(-main_cause.saved_ns, true)) + main_cause.main_moved.slice(main_cause.moved.length))] : step && (step.is_open || is_several(step)) ? make("span", { class: "unit" }, step.is_open ? step.note : "several causes") : "");
      if (state.size !== data.sizes[0].size || row.dataset.changed) {
        row.dataset.changed = 1;
        const setting = point && point.setting ? `, ${point.setting}` : "";
        fill(cell[0], make("a", { href: `#step=${data.family}/${rung.key}` }, make("b", {}, rung.key), " " + rung.title), setting);
        fill(cell[1], point ? time_of(point.ns) : "not measured");
        const over = step && rung.after !== before && data.rungs.find(r => r.variant === rung.after);
        fill(cell[2], step ? step.ratio : "", over ? make("span", { class: "unit" }, ` over ${over.key}`) : "");
        const words = rung.role ?? (step ? step.verdict : "not measured");
        cell[4].className = "d" + (step && step.direction || "");
        fill(cell[4], words + " ", step && step.interval ? make("span", { class: "unit" }, step.interval +
          (step.direction === 0 ? `, noise ${step.floor}` : "")) : "");
        fill(cell[5], rung.kind === "cpu" ? "" : point && point.peak || "–");
        fill(cell[6], point && point.library || "–");
      }
      before = rung.variant;
    }
  }

  /* ---- one counter across all rungs ---- */

  function counters(data, target) {
    const size = data.sizes[0] || {}, known = data.counters[size.size] || {}, names = Object.keys(known);
    if (!names.length) return fill(target, "");
    if (!names.includes(state.counter)) state.counter = names.includes("shared_excess_wavefronts") ? "shared_excess_wavefronts" : names[0];
    const select = make("select", { "aria-label": "Counter" });
    const box = make("div", {}), show_one = () => {
      state.counter = select.value;
      const values = known[select.value], most = Math.max(...values.map(Math.abs));
      fill(box, rows_table(["Rung", words_of(data, select.value), ""], data.rungs.map((rung, i) => [`${rung.key} ${rung.title}`, human(values[i]),
        values[i] == null ? "" : make("i", { class: "track" }, make("i", { style: `width:${100 * Math.abs(values[i]) / (most || 1)}%` }))])));
      box.querySelector("table").classList.add("counter");
    };
    select.addEventListener("change", show_one);
    const was_open = target.querySelector("details[open]"), node = fold(`One counter across all rungs, only at ${size.words}`, () => {
      const of_name = names.map(name => [name, words_of(data, name)]).sort(([, a], [, b]) => a.localeCompare(b));
      put(select, of_name.map(([value, words]) => make("option", { value }, words)));
      select.value = state.counter;
      show_one();
      return [select, box];
    });
    fill(target, node);
    if (was_open) node.open = true;
  }

  /* ---- what bounds a rung ---- */

  function bounds(data, rung, target) {
    const point = (data.times[state.size] || {})[rung.variant];
    fill(target, ((point && point.bounds) || []).map(([kind, unit, pct, width]) => [make("span", {}, `${kind}: ${unit}`),
      make("i", { class: "track" }, make("i", { style: `width:${width}%` })),
      make("b", { class: "term", title: `Part of the time that the ${unit} alone needs for all that the kernel does, useful or not, at the rate measured in this run` }, `busy ${pct}`)]));
  }
  /* The rungs that compare.html has: those with a time on the GPU at the primary size. */
  const compared = data => data.compares && document.querySelectorAll("main").length === 1
    ? data.rungs.filter(r => r.kind !== "cpu" && (data.times[data.sizes[0].size] || {})[r.variant]) : [];
  function compare(data, rung, target) {
    const all = compared(data), others = all.filter(r => r !== rung);
    fill(target, all.includes(rung) && others.length ? [make("span", {}, "Compare with "), others.map(r =>
      make("a", { href: compare_page(data, r, rung), title: r.title }, r.key))] : "");
  }
  /* The page's link to compare.html begins with the chosen rung and the fastest kernel, or the first one and the fastest. */
  function compare_link(data, rung) {
    const link = document.querySelector(".top a[href^='compare.html']"), all = compared(data), points = data.times[state.size] || {};
    const kernels = all.filter(r => r.kind === "kernel" && points[r.variant]), first = kernels[0];
    const fastest = kernels.reduce((best, r) => points[r.variant].ns < points[best.variant].ns ? r : best, first);
    const before = all.includes(rung) && rung !== fastest ? rung : first;
    if (link && before && before !== fastest) link.href = compare_page(data, before, fastest);
  }

  /* ---- the waterfall of a step ---- */

  /* From the time before to the time after, each {name, ns}. A row has title, means, area, saved_ns, note (behind the title,
   * unless the bar is pale) and direction; half_ns is half of their interval. A picture that is dense has narrow rows and no words below it. */
  function fall(wide, before, after, rows, half_ns, is_dense) {
    const moved = changes(before.ns, after.ns, rows), write = column([before.ns, after.ns]);
    let level = before.ns, low = Math.min(before.ns, after.ns), high = Math.max(before.ns, after.ns);
    const bars = rows.map(row => {
      const from = level;
      level -= row.saved_ns;
      low = Math.min(low, level);
      high = Math.max(high, level);
      return { ...row, from, to: level, moved: bare(moved(-row.saved_ns, true)), mark: row.direction && row.note ? ` (${row.note})` : "" };
    });
    const from = low < 0 ? low : high - low < 0.35 * high ? Math.max(0, low - 0.6 * (high - low)) : 0, small = !is_dense && wide < 620;
    const wanted = bars.map(bar => bar.title.length + bar.mark.length), most = is_dense ? 27 : Math.min(44, Math.max(34, ...wanted));
    const left = small ? 2 : is_dense ? 150 : 7 * most + 2, right = is_dense ? 62 : 96, under = small ? 16 : 0, row = (is_dense ? 14 : 24) + under;
    const room = wide - left - right, count = bars.length + 2, line = is_dense ? 10 : 15, high_bar = row - under - (is_dense ? 5 : 8);
    const at = value => left + (value - from) / ((high - from) || 1) * room;
    const svg = draw("svg", { class: "plot", viewBox: `0 0 ${wide} ${count * row + 4}`, height: count * row + 4, role: "img",
      "aria-label": "Waterfall from the time before to the time after", style: is_dense ? "font-size: 9.5px" : null });
    const label = (words, means, y, mark = "") => svg.append(draw("text", { class: "label", x: 2, y: y + line },
      shorter(words, (small ? 44 : most) - mark.length) + mark, draw("title", {}, means ? `${words}: ${means}` : words)));
    const total = ({ name, ns }, y) => {
      label(name, null, y);
      y += under;
      const start = at(Math.max(0, from));
      svg.append(draw("rect", { class: "total", x: start, y: y + 3, width: Math.max(1, at(ns) - start), height: high_bar }));
      if (from > 0) svg.append(draw("text", { x: left + 3, y: y + line + 1, style: "fill:var(--paper)" }, "≈"));
      svg.append(draw("text", { x: at(ns) + 6, y: y + line }, bare(write(ns))));
    };
    total(before, 0);
    bars.forEach((bar, index) => {
      const top = (index + 1) * row, y = top + under, x = Math.min(at(bar.from), at(bar.to)), width = Math.abs(at(bar.to) - at(bar.from));
      svg.append(draw("line", { class: "link", x1: at(bar.from), x2: at(bar.from), y1: top - 5, y2: y + 3 }));
      label(bar.title, bar.means, top, bar.mark);
      svg.append(draw("rect", { class: (bar.area || "several") + (bar.direction ? "" : " pale"), x, y: y + 3, width: Math.max(1, width), height: high_bar },
        draw("title", {}, `${bar.title}${bar.note ? ` (${bar.note})` : ""}: ${bar.moved}`)));
      let end = Math.max(at(bar.from), at(bar.to));
      if (half_ns != null && bar.direction) {
        const x2 = Math.min(at(bar.to + half_ns), wide - right);
        svg.append(draw("line", { class: "whisker", x1: at(Math.max(from, bar.to - half_ns)), x2, y1: y + 3 + high_bar / 2, y2: y + 3 + high_bar / 2 }));
        end = Math.max(end, x2);
      }
      svg.append(draw("text", { class: bar.direction ? null : "dim", x: Math.min(end + 6, wide - right + 12), y: y + line }, bar.moved));
    });
    total(after, (count - 1) * row);
    return is_dense ? svg : [svg, make("p", { class: "note" }, "Pale: not significant. ",
      rows.some(row => /^measured/.test(row.note)) ? "Measured: by knock-outs; all others are inferred from counters. "
        : rows.some(row => row.note === "inferred") ? "Inferred: from counters, for knock-outs of both rungs were not measured at this size. " : "", half_ns != null && rows.some(row => row.direction) ? "Line at the end of a bar: 95 % interval. " : "", from > 0 ? "The axis does not begin at 0 (≈). " : "")];
  }

  function waterfall(data, rung, target, is_dense) {
    const step = (data.steps[state.size] || {})[rung.variant], points = data.times[state.size] || {};
    const before = points[rung.after], after = points[rung.variant];
    if (!step || !before || !after || !step.causes.length) {
      return fill(target, rung.after && rung.kind === "kernel"
        ? make("p", { class: "note" }, "The causes of this step are not known at this size.") : "");
    }
    const was = data.rungs.find(r => r.variant === rung.after);
    const picture = fall(is_dense ? 354 : paper || room,
      { ...before, name: was ? `${was.key} ${was.title}` : "before" }, { ...after, name: `${rung.key} ${rung.title}` },
      step.causes.map(cause => ({ ...known_of(data, cause), ...cause })), step.half_ns, is_dense);
    fill(target, is_dense ? picture : [make("h3", {}, "Causes of the change"), picture, in_words(data, step.causes)]);
  }

  /* What is known of a cause of a step: its title, area and meaning; nothing of several together. */
  const known_of = (data, cause) => data.causes[cause.id] || {};
  const term = (data, cause) => make("span", { class: "term", title: known_of(data, cause).means }, cause.title ?? known_of(data, cause).title);
  function in_words(data, causes) {
    const known = causes.filter(cause => known_of(data, cause).means);
    return known.length ? fold("what these causes contain", () => make("dl", { class: "terms" },
      known.map(cause => [make("dt", {}, cause.title), make("dd", {}, known_of(data, cause).means)]))) : "";
  }

  /* ---- what copies without one cost say ---- */

  function experiments(data, rung, target) {
    const step = (data.steps[state.size] || {})[rung.variant], found = step && step.experiments;
    const head = ["Without", "Costs before", "Costs after", "Change", "Outcome"];
    if (!found) {
      const other = step && data.sizes.find(s => ((data.steps[s.size] || {})[rung.variant] || {}).experiments);
      return fill(target, other ? make("p", { class: "note" }, "Knock-outs of this step were measured at ",
        make("a", { href: address({ size: other.size, variant: rung.variant }) }, other.words), ".") : "");
    }
    const write = column(found.flatMap(row => row.slice(1, 4)), true), joint = found.some(row => row[4].startsWith("not used alone"));
    const shown = cells => found.some(row => row[4]) ? cells : cells.slice(0, 4);
    fill(target, make("h3", {}, "Measured by knock-outs"),
      cards_table(shown(head), found.map(([title, before, after, moved, words]) => shown([title, write(before), write(after), write(moved, true), words]))),
      make("p", { class: "note" }, "What a copy of the machine code without one cost saves. Costs overlap, so they do not add up. " +
        "A measured change that is used is a bar above, and the other causes share the rest. If it is between half and twice the inferred change, it confirms that. " +
        "A row without an outcome is no cause of its own. ", joint ? known_of(data, { id: "barriers_conflicts" }).means : ""));
  }

  /* ---- the counters that prove it ---- */

  function words_of(data, name, is_bare) {
    const { title, unit } = data.metrics[name] || {};
    return (title || name.replace(/_/g, " ")) + (unit && !is_bare ? `, ${unit}` : "");
  }
  /* The two values of what shows a cause: times have their unit themselves, in place of the words beside them. */
  function values_of(unit, before, after) {
    const write = unit === "ns" ? time : human;
    return `${write(before)} → ${write(after)}`;
  }
  const witness = (data, [name, before, after]) => {
    const { unit } = data.metrics[name] || {};
    return [make("span", { title: name }, words_of(data, name, unit === "ns")), values_of(unit, before, after)];
  };
  const metric = (data, name) => make("span", { title: name }, words_of(data, name));

  function proof(data, rung, target) {
    const step = (data.steps[state.size] || {})[rung.variant];
    const seen = new Set(), cards = [];
    for (const cause of step ? step.causes : []) {
      const w = cause.witness;
      if (!cause.proves || !w || seen.has(w[0]) || cards.length === 2) continue;
      seen.add(w[0]);
      const lines = [...new Set([cause.line_before, cause.line_after].filter(Boolean))].join(" → ");
      cards.push(make("div", {}, make("p", { class: "note" }, witness(data, w)[0]),
        make("p", {}, make("b", {}, witness(data, w)[1])),
        make("p", { class: "note" }, dot(known_of(data, cause).area), `${cause.title}: ${cause.moved}`, lines ? `; mostly at ${lines}` : "")));
    }
    const words = step && step.is_open ? "Counters that moved" : "Counters that moved with it";
    fill(target, cards.length ? [make("h3", {}, words + ", before → after"), make("div", { class: "proof" }, cards)] : "");
  }

  /* ---- the code before and after ---- */

  /* The longest common subsequence of lines, after the equal ends are set aside. */
  function difference(a, b) {
    let head = 0, tail = 0;
    while (head < a.length && head < b.length && a[head] === b[head]) head++;
    while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
    const n = a.length - head - tail, m = b.length - head - tail;
    const best = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
    for (let i = n - 1; i >= 0; i--)
      for (let j = m - 1; j >= 0; j--)
        best[i][j] = a[head + i] === b[head + j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    const rows = [];
    for (let i = 0; i < head; i++) rows.push([" ", i, i]);
    for (let i = 0, j = 0; i < n || j < m;) {
      if (i < n && j < m && a[head + i] === b[head + j]) rows.push([" ", head + i++, head + j++]);
      else if (i < n && (j === m || best[i + 1][j] >= best[i][j + 1])) rows.push(["-", head + i++, null]);
      else rows.push(["+", null, head + j++]);
    }
    for (let i = tail; i > 0; i--) rows.push([" ", a.length - i, b.length - i]);
    return rows;
  }
  /* Rows of a difference; a and b have the text, number and file of each line. Without a context it is everything. */
  function diff_table(a, b, rows, context) {
    const near = new Set();
    rows.forEach(([kind], at) => {
      if (kind !== " " && context < Infinity) for (let k = at - context; k <= at + context; k++) near.add(k);
    });
    const body = make("tbody", {}), own = b.length && !b[0].helper ? b[0].file : "";
    let gap = false, left = context < Infinity ? 60 : Infinity, shown = own;
    rows.forEach(([kind, i, j], index) => {
      if (context < Infinity && !near.has(index)) { gap = true; return; }
      if (left-- <= 0) return;
      const line = j == null ? a[i] : b[j];
      if (line.helper && line.file !== shown) body.append(make("tr", { class: "gap" }, make("td", {}), make("td", {}), make("td", {}, line.file)));
      shown = line.helper ? line.file : shown;
      body.append(make("tr", { class: (kind === "+" ? "add" : kind === "-" ? "drop" : "") + (gap ? " gap" : "") },
        make("td", {}, i == null ? "" : String(a[i].number)), make("td", {}, j == null ? "" : String(b[j].number)), make("td", {}, new Text(`${kind} ${line.text}`))));
      gap = false;
    });
    const box = make("div", { class: "diff", tabindex: "0" }, make("table", {}, body));
    return left >= 0 ? box : [box, make("p", { class: "note" }, `${-left} more lines changed or stand beside changes.`)];
  }
  /* A fold whose content is made when it is opened. */
  function fold(words, content) {
    const node = make("details", {}, make("summary", {}, words));
    node.addEventListener("toggle", () => { if (node.open && node.children.length === 1) put(node, [content()]); });
    return node;
  }
  const lines_of = text => text.replace(/\n$/, "").split("\n");
  const lines_in = (text, file) => lines_of(text).map((text, index) => ({ text, number: index + 1, file }));

  /* The parts of a file that begin after an empty line, in the first column: {lines, words, name}. `words` is without comments;
   * a function has a name. */
  function parts_of(text, file) {
    const parts = [];
    lines_in(text, file).forEach((line, index, all) => {
      if (!index || !all[index - 1].text.trim() && /^[^\s}]/.test(line.text)) parts.push({ file, lines: [] });
      parts[parts.length - 1].lines.push(line);
    });
    for (const part of parts) {
      part.words = part.lines.map(line => line.text).join("\n").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, " ");
      const head = part.words.replace(/^\s*#.*/gm, " ").replace(/__\w+__\s*\((?:[^()]|\([^()]*\))*\)/g, " ").split("{")[0];
      part.name = /[{]/.test(part.words) && (/([A-Za-z_]\w*)\s*\(/.exec(head) || [])[1];
      part.on_gpu = /__(?:global|device)__/.test(part.words);
    }
    return parts.filter(part => part.words.trim());
  }
  const words_in = part => new Set(part.words.match(/[A-Za-z_]\w*/g));

  /* What a rung runs on the GPU: its file without what describes it to whyfast, which are its VARIANT_ macros and functions
   * of the host, and the functions in headers beside it that it calls. The host names kernels alone. */
  function code_of(file, sources) {
    const folder = file.replace(/[^/]*$/, ""), own = parts_of(sources[file], file), headers = [], seen = new Set(), unknown = [];
    const take = path => {
      if (seen.has(path)) return;
      seen.add(path);
      const parts = parts_of(sources[path], path);
      headers.push(...parts.filter(p => p.name));
      parts.forEach(include);
    };
    /* A header without a text may include those that all ladders share. */
    const include = part => [...part.words.matchAll(/^\s*#\s*include\s+"([^"/]+)"/gm)].forEach(([, name]) => {
      const path = [folder + name, "kernels/" + name].find(known => sources[known] != null);
      if (path != null) return take(path);
      unknown.push(name);
      Object.keys(sources).filter(known => /^kernels\/[^/]*\.h$/.test(known)).forEach(take);
    });
    own.forEach(include);
    const called = new Set();
    const follow = part => {
      const words = words_in(part);
      for (const helper of headers) {
        if (!words.has(helper.name) || called.has(helper)) continue;
        if (part.on_gpu ? !helper.on_gpu : helper.on_gpu && !/__global__/.test(helper.words)) continue;
        called.add(helper);
        follow(helper);
      }
    };
    own.forEach(follow);
    return {
      unknown, kernel: own.filter(part => !/\bVARIANT_/.test(part.words) && (!part.name || part.on_gpu) && !/^(\s*#\s*include[^\n]*)*\s*$/.test(part.words)),
      called: headers.filter(part => called.has(part) && part.on_gpu),
    };
  }

  const body_of = part => part.lines.findIndex(line => line.text === "{");
  /* The change from one rung to another as {a, b, rows}: lines before and after, and the rows of their difference. By
   * their files: kernels are compared as if they had one name, without indentation, and without parameters that are the
   * same; functions in headers that both call are left out. */
  function change_of_files(old, now) {
    const same = (a, b) => a.file === b.file && a.words === b.words;
    const only = (mine, other) => mine.called.filter(part => !other.called.some(o => same(o, part)))
      .flatMap(part => part.lines.map(line => ({ ...line, helper: true })));
    const [from, to] = [old, now].map(code => code.kernel.filter(part => /__global__/.test(part.words)));
    const renamed = text => from.length === to.length ? text.replace(/[A-Za-z_]\w*/g, word => {
      const at = from.findIndex(part => part.name === word);
      return at < 0 ? word : to[at].name;
    }) : text;
    const parameters = part => renamed(part.lines.slice(0, body_of(part)).map(line => line.text).join("")).replace(/\s+/g, "");
    const body = (part, others) => others && others.some(o => parameters(o) === parameters(part)) ? part.lines.slice(body_of(part)) : part.lines;
    const lines = (code, others, helpers) => [...code.kernel.flatMap(part => body(part, part.name && others)), ...helpers];
    const a = lines(old, to, only(old, now)), b = lines(now, from, only(now, old));
    return { a, b, rows: difference(a.map(line => renamed(line.text.trim())), b.map(line => line.text.trim())) };
  }
  /* Whether a line of a part is in a branch: it has one, or the nearest line before it with less indentation does. */
  function in_branch(part, line) {
    const depth = text => text.search(/\S/), is_branch = text => /^\s*(\}?\s*else\b|if\b)/.test(text);
    for (let at = part.lines.indexOf(line), inner = depth(line.text) + 1; at > 0 && inner > 0; at--) {
      const { text } = part.lines[at];
      if (depth(text) < 0 || depth(text) >= inner || /^#/.test(text)) continue;
      if (is_branch(text)) return true;
      inner = depth(text);
    }
    return false;
  }
  /* The same by the lines that the kernels of two rungs run: of functions that only one of them runs, all lines; of
   * others, the lines in branches that only one of them runs. A compiler leaves no instruction of a line that it computes: other
   * lines that only one of them runs, and functions that such lines call, are no change. */
  function change_of_runs(before, after, sources) {
    const a = [], b = [], rows = [];
    const add = (kind, line) => {
      const mine = { ...line, helper: true };
      rows.push([kind, kind === "+" ? null : a.push(mine) - 1, kind === "-" ? null : b.push(mine) - 1]);
    };
    const parts = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(file => sources[file] != null).flatMap(path => {
      const [old, now] = [before, after].map(runs => new Set((runs[path] || "").split(" ").map(Number)));
      return parts_of(sources[path], path).filter(part => part.name && part.on_gpu).map(part => {
        const inner = part.lines.slice(body_of(part) + 1), [was, is] = [old, now].map(lines => inner.some(line => lines.has(line.number)));
        const moved = line => was && is && inner.includes(line) && /\w/.test(line.text) && old.has(line.number) !== now.has(line.number) && in_branch(part, line);
        return { ...part, was, is, kinds: part.lines.map(line => moved(line) ? old.has(line.number) ? "-" : "+" : " ") };
      });
    });
    const called = new Set(parts.filter(part => part.was && part.is).flatMap(part => [...words_in({
      words: part.lines.filter((_, at) => part.kinds[at] === " ").map(line => line.text).join("\n") })]));
    for (const part of parts) {
      if (part.was !== part.is && !called.has(part.name)) part.lines.forEach(line => add(part.was ? "-" : "+", line));
      else if (part.kinds.some(kind => kind !== " ")) part.lines.forEach((line, at) => add(part.kinds[at], line));
    }
    return { a, b, rows };
  }
  /* The name of the template that a part is, and its parameters. */
  function template_of(part) {
    const [head, list] = /template\s*<([^>]*)>/.exec(part.words) || [];
    if (!head) return [null, []];
    const own = part.name || (/\b(?:struct|class)\s+(\w+)/.exec(part.words.slice(part.words.indexOf(head) + head.length)) || [])[1];
    return [own, list.split(",").map(parameter => (/(\w+)\s*(?:=.*)?$/s.exec(parameter.trim()) || [])[1])];
  }
  /* The names of constants that differ between two rungs: words that only one of two changed lines has, parameters of
   * templates whose arguments differ, and what a grid switches. Each as [name, the part that knows it or null for all]. */
  function constants_of(change, was, rung, parts) {
    const switches = text => (text || "").split(" ");
    const names = switches(rung.factors).filter(f => f && !switches(was.factors).includes(f)).map(f => [f.split("=")[0].toUpperCase(), null]);
    const texts = kind => change.rows.filter(([k, i, j]) => k === kind && !(i == null ? change.b[j] : change.a[i]).helper)
      .map(([, i, j]) => (i == null ? change.b[j] : change.a[i]).text).join("\n");
    const [old, now] = [texts("-"), texts("+")], words = text => text.match(/\b[A-Z][A-Z0-9_]+\b/g) || [];
    names.push(...words(old).filter(w => !words(now).includes(w)).concat(words(now).filter(w => !words(old).includes(w))).map(w => [w, null]));
    const uses = text => new Map([...text.matchAll(/\b([a-z]\w*)<([^<>]*)>/g)].map(([, name, list]) => [name, list.split(",").map(x => x.trim())]));
    const [given, gives] = [uses(old), uses(now)];
    for (const part of parts) {
      const [mine, parameters] = template_of(part);
      if (!given.has(mine) || !gives.has(mine)) continue;
      parameters.forEach((parameter, i) => { if (given.get(mine)[i] !== gives.get(mine)[i]) names.push([parameter, part]); });
    }
    return names;
  }
  /* The lines of headers that use these constants, or what is computed from them. */
  function uses_of(names, parts) {
    const lines = new Map();
    for (let round = 0; round < 4 && names.length; round++) {
      const next = [], passed = [];
      for (const part of parts) {
        const here = names.filter(([, home]) => !home || home === part).map(([name, home]) => new RegExp(/^[A-Z]/.test(name) ? `\\b${name}\\b` : home ? `\\b${name}\\b` : `::${name}\\b`));
        const first = part.name ? body_of(part) + 1 : 0;
        for (const [, name, list] of part.words.replace(/^\s*template\s*<[^>]*>/, "").matchAll(/\b([a-z]\w*)\s*<([^<>]*)>/g))
          list.split(",").forEach((argument, i) => here.some(word => word.test(argument)) && passed.push([name, i]));
        part.lines.forEach((line, at) => {
          const text = line.text.replace(/\/\*.*?(\*\/|$)|\/\/.*/g, " ");
          if (at < first || /^\s*\*|^\s*(template|static|enum \w+ \{)/.test(text) || lines.has(line) || !here.some(name => name.test(text))) return;
          lines.set(line, part);
          const made = !part.name && /^\s*(\w+)\s*=(?!=)/.exec(at && /=\s*$/.test(part.lines[at - 1].text) ? part.lines[at - 1].text : text);
          if (made) next.push([made[1], null], [made[1], part]);
          for (const [, x, y] of text.matchAll(/\?\s*([A-Z][A-Z0-9_]+)\s*:\s*([A-Z][A-Z0-9_]+)/g)) next.push([x, null], [y, null]);
        });
      }
      for (const [name, i] of passed) for (const part of parts) {
        const [own, parameters] = template_of(part);
        if (own === name && parameters[i]) next.push([parameters[i], part]);
      }
      names = next;
    }
    return [...parts.flatMap(part => part.lines)].filter(line => lines.has(line)).map(line => ({ ...line, helper: true }));
  }
  /* The change from one rung to another, and `uses`: lines that both have and that the changed constants decide. */
  function change_of(was, rung, data) {
    const { sources } = data, texts = [was, rung].map(r => sources[r.file] == null ? null : code_of(r.file, sources)), [old, now] = texts;
    const by_files = old && now && was.file !== rung.file, [before, after] = [was, rung].map(r => !by_files && data.runs && data.runs[r.variant]);
    const change = by_files ? change_of_files(old, now) : before && after ? change_of_runs(before, after, sources) : { a: [], b: [], rows: [] };
    const shown = new Set([...change.a, ...change.b].map(line => `${line.file}:${line.number}`));
    const ran = new Set(texts.filter(Boolean).flatMap(code => code.called.map(part => `${part.file}:${part.name}`)));
    const runs_part = part => [before, after].some(r => r && r[part.file] && r[part.file].split(" ").some(n => part.lines.some(line => line.number === +n)));
    const all = Object.keys(sources).filter(path => /\.h$/.test(path) || before && path === rung.file).flatMap(path => parts_of(sources[path], path))
      .filter(part => part.name ? part.on_gpu : !/VARIANT_|^\s*#/.test(part.words));
    const called = new Set(all.filter(part => part.name && (ran.has(`${part.file}:${part.name}`) || runs_part(part))));
    for (const part of called) all.filter(p => p.name && p.file === part.file && words_in(part).has(p.name)).forEach(p => called.add(p));
    const parts = all.filter(part => !part.name || called.has(part));
    const uses = uses_of(constants_of(change, was, rung, parts), parts).filter(line => !shown.has(`${line.file}:${line.number}`));
    return { ...change, uses, by_runs: !by_files, unknown: by_files ? now.unknown.filter(path => !old.unknown.includes(path)) : [] };
  }

  function code(data, rung, target) {
    const was = data.rungs.find(r => r.variant === rung.after), now = data.sources[rung.file];
    const file = rung.file && rung.file.replace("kernels/", "");
    const lines = now && lines_in(now, rung.file), whole = now && fold(was ? "The whole file" : `The code: ${file}`, () => diff_table(lines, lines, lines.map((_, i) => [" ", i, i]), Infinity));
    const missing = rung.no_text ? make("p", { class: "note" }, rung.no_text) : "";
    if (!was || rung.kind !== "kernel" || was.kind !== "kernel") return fill(target, whole || missing);
    const { a, b, rows, uses, by_runs, unknown } = change_of(was, rung, data);
    const plus = rows.filter(r => r[0] === "+").length, minus = rows.filter(r => r[0] === "-").length, is_text = data.sources[was.file] != null && now != null;
    if (!plus && !minus && !uses.length && !is_text) return fill(target, data.runs && data.runs[was.variant] && data.runs[rung.variant]
      ? make("p", {}, `Both kernels run the same lines of ${Object.keys(data.runs[rung.variant]).join(", ")}.`) : "", whole || missing);
    const names = was.file === rung.file ? file : `${was.file.replace("kernels/", "")} → ${file}`, some = uses.slice(0, 60);
    const table = () => diff_table(some, some, some.map((_, i) => [" ", i, i]), Infinity);
    const decided = `${uses.length} ${uses.length > 1 ? "lines" : "line"} of both that the changed constants decide`;
    fill(target, make("h3", {}, plus || minus ? `Code: ${names} (+${plus} −${minus})` : `Code: ${names}`),
      by_runs && (plus || minus) ? make("p", { class: "note" }, "Functions, and lines in branches, of which the compiler left instructions in one of the two kernels only.") : "",
      plus || minus ? diff_table(a, b, rows, 2)
        : make("p", {}, `The ${uses.length ? "" : "kernel and the "}functions that ${uses.length ? "both kernels call" : "it calls"} are the same${unknown.length ? " as far as the run has their text" : ""}; ${uses.length ? "constants" : "the settings"} differ.`),
      !uses.length ? "" : plus + minus > 12 ? fold(decided, table) : [make("p", { class: "note" }, `${decided}:`), table()],
      whole || missing);
  }

  /* ---- the rest of a step ---- */

  function remains(data, rung, target) {
    const step = (data.steps[state.size] || {})[rung.variant];
    if (!step || !step.remains || !step.remains.length) return fill(target, "");
    const each = (words, write) => words.split(" ").map((id, i) => write({ id }, i));
    fill(target, make("p", {}, make("b", {}, "Still to be gained"), step.bound ? `: ${step.bound}` : ""), make("ul", { class: "claims" }, step.remains.map(r => make("li", {},
      each(r.id, (cause, i) => [i ? " and " : "", dot(known_of(data, cause).area), term(data, cause)]), `, ${r.amount}`, r.aside ? `; ${r.aside}` : "", ". ",
      make("span", { class: "note" }, each(r.id, cause => (r.unadvised || "").split(" ").includes(cause.id) ? "" : `${known_of(data, cause).try || ""} `))))));
  }
  function rows_table(head, rows) {
    return make("div", { class: "box" }, make("table", {}, make("thead", {}, make("tr", {}, head.map((h, i) => make("th", { class: i ? "n" : null }, h)))),
      make("tbody", {}, rows.map(cells => make("tr", {}, cells.map((c, i) => make("td", { class: i ? "n" : null }, c)))))));
  }
  function cards_table(head, rows) {
    return make("table", { class: "cards" }, make("thead", {}, make("tr", {}, head.map((h, i) => make("th", { class: i && head[i] !== "Outcome" ? "n" : null }, h)))),
      make("tbody", {}, rows.map(cells => make("tr", {}, cells.map((c, i) => make("td", { class: i && head[i] !== "Outcome" ? "n" : null, "data-label": head[i] }, c))))));
  }
  /* The step at the other sizes: its main cause, or what is said in its place. */
  function other_sizes(data, rung, target) {
    const others = by_size(data).filter(s => s.size !== state.size && (data.steps[s.size] || {})[rung.variant]);
    fill(target, others.length ? ["At other sizes: ", others.slice(0, 8).map((s, i) => {
      const { ratio, verdict, note, causes } = data.steps[s.size][rung.variant], main = causes.find(c => c.is_main);
      const words = main ? `${verdict}: ${main.title}` : note || verdict;
      return [i ? "; " : "", make("a", { href: address({ size: s.size, variant: rung.variant }) }, s.words.replace(/ /g, "\u00a0")),
        `\u00a0${[ratio, words].filter(Boolean).join(", ")}`];
    }), "."] : "");
  }
  function more(data, rung, target) {
    const folds = [], time_of = column(Object.values(data.times).map(points => (points[rung.variant] || {}).ns));
    if (rung.after) folds.push(fold("All sizes", () => rows_table(["Size", "Time", "Speed-up", "95 % interval", "Noise floor", "Evidence"],
      data.sizes.map(s => {
        const step = (data.steps[s.size] || {})[rung.variant], point = (data.times[s.size] || {})[rung.variant];
        return step ? [make("a", { href: address({ size: s.size, variant: rung.variant }) }, s.words), point ? time_of(point.ns) : "–",
          step.ratio || "–", step.interval || "–", step.floor || "–", step.verdict] : [s.words, point ? time_of(point.ns) : "not measured", "–", "–", "–", "–"];
      }))));
    const moved = (data.moved[state.size] || {})[rung.variant];
    const words = ["worse", "changed", "better"]; /* -1, 0, 1 */
    if (moved) folds.push(fold(`${moved.metric.length} metrics changed beyond the noise`, () => rows_table(["Metric", "Before", "After", ""],
      moved.metric.map((number, i) => [metric(data, data.moved_names[number]), human(moved.before[i]), human(moved.after[i]), make("span", { class: words[moved.verdict[i] + 1] }, words[moved.verdict[i] + 1])]))));
    const step = (data.steps[state.size] || {})[rung.variant];
    if (step && step.causes.length) {
      const points = data.times[state.size], write = changes(points[rung.after].ns, points[rung.variant].ns, step.causes), between = c => `${write(-c.saved_ns - step.half_ns, true)} to ${write(step.half_ns - c.saved_ns, true)}`;
      const columns = [["Cause", c => term(data, c)], ["Change", c => write(-c.saved_ns, true)], ["95 % interval", c => step.half_ns != null && c.direction && between(c)],
        ["Of the change", c => step.direction && c.share && c.share.replace("-", "−")], ["Note", c => c.note],
        ["Witness", c => c.witness && witness(data, c.witness).flatMap((part, i) => i ? [" ", part] : part)],
      ].filter(([, value]) => step.causes.some(value));
      folds.push(fold("All causes", () => rows_table(columns.map(([head]) => head), step.causes.map(c => columns.map(([, value]) => value(c) || "–")))));
    }
    fill(target, folds);
  }

  /* ---- a page ---- */

  function show_step(data, main, rung) {
    const section = [...main.querySelectorAll(".step")].find(s => s.dataset.variant === rung.variant);
    const step = (data.steps[state.size] || {})[rung.variant];
    const size = data.sizes.find(s => s.size === state.size);
    for (const other of main.querySelectorAll(".step")) other.classList.toggle("chosen", other === section);
    if (!section) return;
    fill(part(section, "headline"), step ? step.sentence : "");
    for (const node of parts(section, "at")) fill(node, step && step.sentence && size ? size.words : "");
    const piece = (within, tag, name) => part(within, name) || within.appendChild(make(tag, { class: name, "data-part": name }));
    const evidence = part(section, "evidence");
    bounds(data, rung, part(section, "bounds"));
    fill(part(section, "setting"), ((data.times[state.size] || {})[rung.variant] || {}).setting || "");
    other_sizes(data, rung, part(section, "sizes"));
    compare(data, rung, part(section, "compare"));
    waterfall(data, rung, part(section, "waterfall"));
    experiments(data, rung, piece(evidence, "div", "experiments"));
    proof(data, rung, piece(evidence, "div", "proofs"));
    code(data, rung, piece(evidence, "div", "code"));
    remains(data, rung, part(section, "remains"));
    more(data, rung, part(section, "more"));
  }
  function default_rung(data) {
    const kernels = data.rungs.filter(r => r.kind === "kernel" && r.after && (data.steps[state.size] || {})[r.variant]);
    return kernels.find(r => (data.steps[state.size] || {})[r.variant].direction === 1) || kernels[0] || data.rungs[0];
  }
  /* Scrolls strips to what is chosen in them. */
  function show_chosen(strips) {
    for (const strip of strips) {
      const link = strip.querySelector(".chosen");
      if (link && strip.scrollWidth > strip.clientWidth) strip.scrollLeft = link.offsetLeft - strip.offsetLeft - strip.clientWidth / 2;
    }
  }
  function bar(data, main) {
    const target = part(main, "bar");
    let sizes = target.querySelector(".sizes");
    if (!sizes && data.sizes.length > 1) target.prepend(sizes = make("nav", { class: "strip sizes", "aria-label": "Sizes" }));
    fill(sizes, make("span", {}, "Size"), by_size(data).map(s => make("a", { href: address({ size: s.size }),
      class: s.size === state.size ? "chosen" : null, "aria-current": s.size === state.size ? "true" : null }, s.words)));
    const up = new Set();
    for (let r = data.rungs.find(o => o.variant === state.variant); r && !up.has(r.variant);
      r = data.rungs.find(o => o.variant === r.after)) up.add(r.variant);
    const links = target.querySelectorAll(".strip:not(.sizes) a");
    data.rungs.forEach((rung, index) => {
      const link = links[index];
      if (!link) return;
      link.href = address({ variant: rung.variant });
      link.title = rung.title;
      link.classList.toggle("chosen", rung.variant === state.variant);
      link.classList.toggle("up", up.has(rung.variant));
    });
    requestAnimationFrame(() => { // after all changes: to ask for widths lays the page out
      show_chosen(target.querySelectorAll(".strip"));
    });
  }
  /* On paper every step has its waterfall, and pictures have the width of a sheet, else that of the page. */
  let paper = 0, room = 900;
  function print(is_paper) {
    const main = shown, data = main && main.dataset.family && ladders[state.family];
    if (!data) return;
    paper = is_paper ? 720 : 0;
    const words = "Pale: not significant. ≈: the axis does not begin at 0.", steps = part(main, "steps");
    for (const node of parts(main, "paper")) node.remove();
    if (is_paper) steps.prepend(make("p", { class: "note", "data-part": "paper" }, words));
    overview(data, part(main, "overview"));
    for (const section of main.querySelectorAll(".step")) {
      const rung = data.rungs.find(r => r.variant === section.dataset.variant), is_chosen = section.classList.contains("chosen");
      if (is_paper || is_chosen) waterfall(data, rung, part(section, "waterfall"), !is_chosen);
      else fill(part(section, "waterfall"));
    }
  }
  /* One file may hold all pages: all but one are hidden. Returns the page to show. */
  function choose_page() {
    const pages = [...document.querySelectorAll("main")], name = decodeURIComponent(location.hash.slice(1));
    let page = pages[0];
    if (pages.length > 1) {
      const family = /^(?:.*&)?(?:step|ladder)=([^/&]*)/.exec(name), target = name && document.getElementById(name);
      page = family ? pages.find(m => m.dataset.family === family[1]) || page : target ? target.closest("main") || page : page;
      for (const other of pages) other.hidden = other !== page;
      if (target) target.scrollIntoView(); else if (page !== shown) window.scrollTo(0, 0);
      if (page.dataset.family) state.family = page.dataset.family;
    }
    shown = page;
    return page;
  }
  let shown = null;
  function show(scroll) {
    const main = choose_page(), asked = main.dataset.family && read_address(), data = ladders[state.family];
    if (!data || !main.dataset.family) return;
    if (!state.variant) state.variant = default_rung(data).variant;
    const rung = data.rungs.find(r => r.variant === state.variant), size = data.sizes.find(s => s.size === state.size);
    room = Math.max(320, part(main, "overview").clientWidth || 900);
    bar(data, main);
    compare_link(data, rung);
    overview(data, part(main, "overview"));
    for (const node of main.querySelectorAll(".table [data-part='at']")) fill(node, size ? `, ${size.words}` : "");
    fill(part(main, "other"), size && size !== data.sizes[0] ? ` Bars, steps and causes below are at ${size.words}.` : "");
    table(data, main);
    counters(data, part(main, "counters"));
    show_step(data, main, rung);
    if (asked && scroll) {
      const section = main.querySelector(".step.chosen");
      if (section) section.scrollIntoView();
    }
  }
  function start() {
    document.documentElement.classList.add("js");
    show(true);
    /* The page has another height than the one in which the browser looked for the place. */
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (place && !place.matches(".step")) place.scrollIntoView();
    window.addEventListener("hashchange", () => show(true));
    let wide = window.innerWidth;
    window.addEventListener("resize", () => { if (window.innerWidth !== wide) { wide = window.innerWidth; show(false); } });
    window.addEventListener("beforeprint", () => print(true));
    window.addEventListener("afterprint", () => print(false));
    document.addEventListener("keydown", event => {
      const data = shown && shown.dataset.family && ladders[state.family];
      if (!data || event.altKey || event.ctrlKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
      const move = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      const at = data.rungs.findIndex(r => r.variant === state.variant) + move;
      if (move && data.rungs[at]) { event.preventDefault(); go({ variant: data.rungs[at].variant }); }
    });
  }
  let started = false;
  return {
    ladders, make, change_of, show_chosen, human, time, values_of, column, changes, dot, legend, bars, bars_note, fall, rows_table,
    ladder(data) {
      for (const of_size of Object.values(data.steps)) for (const { causes } of Object.values(of_size))
        for (const cause of causes) cause.title ??= known_of(data, cause).title;
      ladders[data.family] = data;
      if (started || !document.querySelector("main[data-family]")) return;
      started = true;
      setTimeout(start); /* after the data of other ladders, in one file with all of them */
    },
  };
})();
