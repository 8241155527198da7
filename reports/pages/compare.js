// Fills compare.html. What it shows stands in compare-<family>.js: what whyfast says of each pair
// of rungs at the primary size (harness/explain/pairs.h). This script computes no cause and judges
// nothing. Text from a run only becomes text of the page, never markup.
//
// A file of data calls whyfast_compare.add with one object. A number that stands for a rung, a
// cause, a place, a metric, a verdict or a note is an index into the list of that name. Times are in
// ns.
//
//   pair    a, b: the rungs before and after; v: the verdict; r: the time of a over that of b, from
//           l to h; f: the noise floor in per cent; s: the sentence; c: the causes in order; m: the
//           metrics that moved, the most first. Without c, the causes are those of the reverse pair
//           and save the opposite; m stands at one of both, and is the same for the other.
//   c       c: the cause; s: what it saved; p: its share of the change in per cent; d: 1 if it surely
//           saved time, -1 if it surely cost time;
//           w: 1 if its witness and its line prove it; n: a note
//   cause   id; title; area: the group that gives its colour; witness: the metric that shows it
//   rung    areas: its time by group of causes; values: of the metrics; lines: where each cause
//           happens; remains: what may be gained yet; hot: the lines with the most stall samples
'use strict';

const whyfast_compare = (() => {
  const {human, legend, make, time, times_like, bars, fall, rows_table} = whyfast;
  const ladders = new Map(); // by family: what add() was given
  const at = id => document.getElementById(id);

  // ---- the account ------------------------------------------------------------------------------

  // The pair of two rungs, with its rungs and the causes that it lists, or null.
  function find(data, before, after) {
    const pair_of = (a, b) => data.pairs.find(pair => pair.a === a && pair.b === b);
    const pair = pair_of(before, after), reverse = pair_of(after, before);
    if (!pair) return null;
    const rows = pair.c || (reverse && reverse.c || []).map(row => ({...row, s: -row.s, d: -row.d || 0}));
    return {...pair, m: pair.m || reverse && reverse.m || [], a: data.rungs[before],
      b: data.rungs[after], rows: rows.map(row => ({saved_ns: row.s, share: row.p,
        cause: data.causes[row.c], is_sure: Boolean(row.d), proves: row.w, note: data.notes[row.n]}))};
  }

  // What stands below a cause: its note, or its witness and where it happens.
  function notes_of(data, {a, b}, {cause, proves, note}) {
    if (!proves) return [note].filter(Boolean);
    const [was, is] = [a, b].map(rung => rung.values[cause.witness]);
    const [from, to] = [a, b].map(rung => data.places[rung.lines[cause.id]]);
    return [note, was == null || is == null ? null
      : `${data.metrics[cause.witness].name} ${human(was)} → ${human(is)}`,
    from && to ? 'mostly at ' + (from === to ? from : `${from} → ${to}`)
      : from ? `mostly at ${from} before` : to ? `mostly at ${to} after` : null].filter(Boolean);
  }

  const wide = () => Math.max(320, at('result').clientWidth);

  // Rows from the time before to the time after, all in one unit, and what shows each.
  function waterfall(data, pair) {
    const {a, b} = pair, time = times_like(Math.max(a.time_ns, b.time_ns));
    const [from, to] = [a, b].map(({name, time_ns}) => ({name, ns: time_ns, time: time(time_ns)}));
    const rows = pair.rows.map(row => ({...row, ...row.cause, direction: row.is_sure,
      moved: time(-row.saved_ns, true)}));
    return [fall(wide(), from, to, rows), rows_table(['Cause', 'Change'], rows.map(row => [[row.title,
      make('div', {class: 'unit'}, notes_of(data, pair, row).join('; '))], [row.moved,
      row.share == null || !row.is_sure ? '' : make('div', {class: 'unit'}, `${row.share} % of the change`)]]))];
  }

  const remaining = ({b}) => b.remains.length ? [make('p', {}, `Still to be gained from ${b.name}:`),
    make('ul', {class: 'claims'}, b.remains.map(row => make('li', {},
      `${row.title}, ${row.bound} ${row.share_pct} %, ${time(row.saved_ns)}`
      + (row.later ? ` (${row.later} saved ${time(row.later_saved_ns)}). ` : '. '),
      make('span', {class: 'note'}, row.try || ''))))] : [];

  function ledger(data, {a, b}) {
    const has = rung => Object.keys(rung.areas).length > 0;
    if (!has(a) || !has(b)) return [];
    const most = Math.max(a.time_ns, b.time_ns), time = times_like(most);
    return [make('h2', {}, 'Where the time goes'), bars(wide(), data.areas, [a, b].map(rung =>
      ({...rung, ns: rung.time_ns, words: time(rung.time_ns), variant: null})),
    (ns, room) => ns / most * room)];
  }

  function metrics(data, {a, b, m}) {
    if (!m.length) return [];
    const ratio = (was, is) => was > 0 && is > 0 ? (is / was).toPrecision(3) + '×' : '–';
    return [make('h2', {}, 'Counters that changed most'), rows_table(['Metric', 'Before', 'After',
      'Ratio'], m.map(index => {
      const {name, words, unit} = data.metrics[index];
      const [was, is] = [a, b].map(rung => rung.values[index]);
      return [make('span', {title: name}, (words || name.replace(/_/g, ' ')) + (unit ? ', ' + unit
        : '')), human(was), human(is), ratio(was, is)];
    }))];
  }

  function hot_lines(data, {a, b}) {
    const side = ({name, hot}) => make('div', {}, make('h3', {}, name), hot.length ? hot.map(line =>
      make('p', {class: 'hot'}, make('b', {}, line.share_pct + ' %'), ' ', data.places[line.at],
        line.reason ? ', ' + line.reason : '', line.text ? make('code', {}, new Text(line.text)) : ''))
      : make('p', {class: 'note'}, 'No lines of the program are known.'));
    return [make('h2', {}, 'Lines with the most stall samples'),
      make('div', {class: 'beside'}, side(a), side(b))];
  }

  function commands(data, {a, b}) {
    const names = [a, b].map(({variant}) => `${data.family}/${variant}`).join(' ');
    return [make('p', {class: 'note'}, 'The same in a terminal, where other sizes and rungs '
      + 'can be named, too. RUN is the directory of this report; with a second run after it, the '
      + 'rung after is one of that run.'), make('pre', {}, `whyfast explain RUN ${names} -s ${data.size}\n`
        + `whyfast lines RUN ${names}`)];
  }

  function account(data, pair) {
    if (!pair) return [make('p', {}, 'Both are the same rung: choose another one.')];
    const {a, b} = pair, time = times_like(Math.max(a.time_ns, b.time_ns));
    const interval = pair.l == null ? '' : ` [${pair.l.toFixed(3)} to ${pair.h.toFixed(3)}]`;
    const noise = pair.f == null ? '' : `; noise floor ${pair.f.toFixed(2)} %`;
    return [
      make('h2', {}, pair.s),
      make('p', {class: 'note'}, `${a.name} → ${b.name} at ${data.size_words}: `
        + `${time(a.time_ns)} → ${time(b.time_ns)}, ${pair.r.toFixed(3)} times as fast${interval}, `
        + `${data.verdicts[pair.v]}${noise}.`),
      pair.rows.length ? [make('p', {class: 'note'}, 'The time that each cause alone saved (−) or '
        + 'cost (+).'), legend(data.areas), waterfall(data, pair)]
        : make('p', {}, 'The causes are unknown: one of the rungs has no counters.'),
      remaining(pair), ledger(data, pair), metrics(data, pair), hot_lines(data, pair),
      commands(data, pair),
    ].flat(Infinity).filter(node => node);
  }

  // ---- what is chosen ---------------------------------------------------------------------------

  const state = {}; // family; a and b: names of rungs, or their numbers in the ladder

  // A script element also loads from file://. `then` is called with the data, if they came.
  const loading = new Map();
  function load(family, then) {
    if (!loading.has(family)) {
      const script = make('script', {src: 'compare-' + encodeURIComponent(family) + '.js'});
      loading.set(family, new Promise(resolve => {
        script.onload = script.onerror = () => resolve(ladders.get(family));
      }));
      document.head.append(script);
    }
    loading.get(family).then(then);
  }

  function fill(data) {
    const index = {};
    for (const side of ['a', 'b']) {
      const wanted = state[side];
      const found = data.rungs.findIndex(({variant, key}) => wanted
        && (variant === wanted || key === wanted || Number(key) === Number(wanted)));
      index[side] = found < 0 ? data.start[side] : found;
      at(side).replaceChildren(...data.rungs.map(({variant, name}) =>
        make('option', {value: variant}, name)));
      state[side] = at(side).value = data.rungs[index[side]].variant;
    }
    at('size').textContent = data.size_words;
    const address = `#a=${state.family}/${state.a}&b=${state.family}/${state.b}`;
    if (location.hash !== address) history.replaceState(null, '', address);
    at('result').replaceChildren(...account(data, find(data, index.a, index.b)));
  }

  // Only the last choice is shown: data that come after a later one are just kept.
  let choices = 0;
  function choose() {
    const choice = ++choices;
    at('result').ariaBusy = 'true';
    at('family').value = state.family;
    load(state.family, data => {
      if (choice !== choices) return;
      at('result').ariaBusy = 'false';
      if (data) fill(data);
      else at('result').replaceChildren(make('p', {}, 'The data could not be loaded.'));
    });
  }

  function read_address() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const families = [...at('family').options].map(option => option.value);
    const [a, b] = ['a', 'b'].map(side => (wanted.get(side) || '').split('/'));
    state.family = families.includes(a[0]) ? a[0] : families[0];
    state.a = a[1];
    state.b = b[0] === a[0] ? b[1] : undefined;
    choose();
  }

  function listen() {
    if (!at('family').options.length)
      return at('result').append(make('p', {}, 'The run has no two rungs to compare.'));
    at('family').addEventListener('change', () => {
      Object.assign(state, {family: at('family').value, a: undefined, b: undefined});
      choose();
    });
    // Who chooses the rung of the other side exchanges both.
    for (const [id, other] of [['a', 'b'], ['b', 'a']])
      at(id).addEventListener('change', () => {
        if (at(id).value === state[other]) state[other] = state[id];
        state[id] = at(id).value;
        choose();
      });
    at('swap').addEventListener('click', () => {
      [state.a, state.b] = [state.b, state.a];
      choose();
    });
    addEventListener('hashchange', read_address);
    read_address();
  }

  addEventListener('DOMContentLoaded', listen);
  return {add: data => ladders.set(data.family, data)};
})();
