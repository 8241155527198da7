// Fills compare.html. What it shows stands in compare-<family>.js: what whyfast says of each pair
// of rungs at the primary size (harness/explain/pairs.h). This script computes no cause and judges
// nothing. Text from a run only becomes text of the page, never markup.
//
// A file of data calls whyfast_compare.add with one object. A number that stands for a rung, a
// cause, a place, a metric, a verdict or a note is an index into the list of that name. Times are in
// ns.
//
// A file compare-<family>-<size>.js has pairs at another size, without metrics, and the times of the rungs there.
//
//   pair    [a and b: the rungs before and after; the verdict; the time of a over that of b; least
//           and most of it; the noise floor in per cent; the sentence; its causes in order; the
//           metrics that moved, the most first; at each of sizes [the time of a over that of b, the
//           verdict]]. Without causes, they are those of the reverse pair
//           and save the opposite; the metrics stand at one of both, and are the same for the other
//   limits  least_part: of its value by which a metric must move; most_metrics that a pair lists
//   sentence  in turns a number as it is printed and an index into phrases
//   cause of a pair  [the cause; what it saved; its share of the change in per cent; 1 if it surely
//           saved time, -1 if it surely cost time; 1 if its witness and its line prove it; a note]
//   cause   id; title; area: the group that gives its colour; witness: the metric that shows it
//   place   [file and line, its text if it is a line with many samples]
//   rung    areas: its time by group of causes; values: of the metrics; lines: the place where each
//           cause happens; remains: what may be gained yet, [an index into advice, the bound
//           in words, what else is known of it]; hot: the
//           lines with the most stall samples, [the place, their share in per cent, the reason]
'use strict';

const whyfast_compare = (() => {
  const {human, legend, show_chosen, make, time, values_of, changes, dot, bars, bars_note, fall, rows_table} = whyfast;
  const files = new Map(); // by name, FAMILY or FAMILY-SIZE: what add() was given
  const at = id => document.getElementById(id);

  // ---- the account ------------------------------------------------------------------------------

  // The pair of two rungs, with its rungs and the causes that it lists, or null.
  function find(data, before, after) {
    const pair_of = (a, b) => data.pairs.find(pair => pair[0] === a && pair[1] === b);
    const pair = pair_of(before, after), reverse = pair_of(after, before) || [];
    if (!pair) return null;
    const [,, v, r, l, h, f, words, causes, m, others] = pair, sign = causes ? 1 : -1;
    const s = words.split('|').map((piece, i) => i % 2 ? data.phrases[piece] : piece).join('');
    return {v, r, l, h, f, s, others, m: m || reverse[9] || [], a: data.rungs[before], b: data.rungs[after],
      rows: (causes || reverse[8] || []).map(([cause, saved_ns, share, is_sure, proves, note]) =>
        ({saved_ns: sign * saved_ns, share, cause: data.causes[cause], is_sure: Boolean(is_sure),
          proves, note: data.notes[note]}))};
  }

  const named = ({name, words, unit}) => (words || name.replace(/_/g, ' ')) + (unit ? ', ' + unit : '');

  // Times have their unit themselves.
  const witness = ({unit, ...metric}, was, is) =>
    `${named(unit === 'ns' ? metric : {...metric, unit})} ${values_of(unit, was, is)}`;

  // What stands below a cause: its note, or its witness, if that moved, and where it happens.
  function notes_of(data, {a, b}, {cause, proves, note}) {
    if (!proves || data.is_other) return [note].filter(Boolean);
    const [was, is] = [a, b].map(rung => rung.values[cause.witness]);
    const [from, to] = [a, b].map(rung => (data.places[rung.lines[cause.id]] || [])[0]);
    return [note, was == null || is == null || human(was) === human(is) ? null
      : witness(data.metrics[cause.witness], was, is),
    from && to ? 'mostly at ' + (from === to ? from : `${from} → ${to}`)
      : from ? `mostly at ${from} before` : to ? `mostly at ${to} after` : null].filter(Boolean);
  }

  let paper = 0; // the width of a sheet, while the page is printed
  const wide = () => paper || Math.max(320, at('result').clientWidth);

  // Rows from the time before to the time after, and what shows each.
  function waterfall(data, pair) {
    const {a, b} = pair;
    const [from, to] = [a, b].map(({name, time_ns}) => ({name, ns: time_ns}));
    const rows = pair.rows.map(row => ({...row, ...row.cause, direction: row.is_sure}));
    const told = rows.filter(row => row.is_sure), write = changes(a.time_ns, b.time_ns, rows);
    return [fall(wide(), from, to, rows), told.length && rows_table(['Cause', 'Change'], told.map(row => [[row.title,
      make('div', {class: 'unit'}, notes_of(data, pair, row).join('; '))], [write(-row.saved_ns, true),
      row.share == null ? '' : make('div', {class: 'unit'}, `${String(row.share).replace('-', '−')} % of the change`)]]))];
  }

  const remaining = (data, {b}) => b.remains.length ? [
    make('p', {}, make('b', {}, 'Still to be gained'), ` from ${b.name}:`),
    make('ul', {class: 'claims'}, b.remains.map(([advice, amount, aside]) => make('li', {},
      dot(data.advice[advice].area),
      `${data.advice[advice].title}, ${amount}${aside ? `; ${aside}` : ''}. `,
      make('span', {class: 'note'}, data.advice[advice].try || ''))))] : [];

  function ledger(data, {a, b}) {
    const has = rung => rung.areas.some(ns => ns != null);
    const by_group = ({areas}) => Object.fromEntries(data.areas.map(({id}, i) => [id, areas[i]]));
    if (!has(a) || !has(b)) return [];
    const most = Math.max(a.time_ns, b.time_ns);
    return [make('h2', {}, 'Where the time goes'), bars(wide(), data.areas, [a, b].map(rung =>
      ({...rung, ns: rung.time_ns, variant: null,
        areas: by_group(rung)})),
    (ns, room) => ns / most * room), bars_note('rung')];
  }

  // First the metrics that show the causes of the pair.
  function metrics(data, {a, b, m, rows}) {
    const moves = index => Math.abs(a.values[index] - b.values[index])
      >= data.limits.least_part * Math.max(Math.abs(a.values[index]), Math.abs(b.values[index])) && a.values[index] !== b.values[index];
    const shows = rows.filter(({is_sure, cause}) => is_sure && cause.witness != null && moves(cause.witness));
    m = [...new Set([...shows.map(({cause}) => cause.witness), ...m])].slice(0, data.limits.most_metrics);
    if (!m.length) return [];
    const ratio = (was, is) => was > 0 && is > 0 ? (is / was).toPrecision(3) + '×' : '–';
    return [make('h2', {}, 'Counters that changed'), rows_table(['Metric', 'Before', 'After',
      'Ratio'], m.map(index => {
      const metric = data.metrics[index], {name} = metric;
      const [was, is] = [a, b].map(rung => rung.values[index]);
      return [make('span', {title: name}, named(metric)), human(was), human(is), ratio(was, is)];
    }))];
  }

  function hot_lines(data, {a, b}) {
    const side = ({name, hot}) => make('div', {}, make('h3', {}, name), hot.length
      ? hot.map(([place, share, reason]) => make('p', {class: 'hot'}, make('b', {}, share + ' %'), ' ',
        data.places[place][0], reason ? ', ' + reason : '',
        data.places[place][1] ? make('code', {}, new Text(data.places[place][1])) : ''))
      : make('p', {class: 'note'}, 'No lines of the program are known.'));
    return [make('h2', {}, 'Lines with the most stall samples'),
      make('div', {class: 'beside'}, side(a), side(b))];
  }

  function commands(data, {a, b}) {
    const names = [a, b].map(({variant}) => `${data.family}/${variant}`).join(' ');
    return [make('p', {class: 'note screen'}, 'The same in a terminal, where other sizes and rungs '
      + 'can be named, too. RUN is the directory of this report; with a second run after it, the '
      + 'rung after is one of that run.'), make('pre', {class: 'screen'}, `whyfast explain RUN ${names} -s ${data.size}\n`
        + `whyfast lines RUN ${names}`)];
  }

  const factor = ratio => `${ratio.toFixed(3)} times as fast`;

  const link = (href, words, is_chosen, title) => make('a', {href, class: is_chosen ? 'chosen' : null,
    'aria-current': is_chosen ? 'true' : null, title}, words);
  const address = ({a, b, size}, name = 'key') => `#a=${state.family}/${a[name]}&b=${state.family}/${b[name]}`
    + (size ? `&size=${size}` : '');
  // All sizes in order; data of another size have those of the primary one in `main`.
  const extent = ({size}) => size.split('x').reduce((product, side) => product * Number(side), 1);
  const sizes_of = ({main}) => [{size: main.size, words: main.size_words},
    ...main.sizes.map(([size, words], i) => ({size, words, i}))].sort((a, b) => extent(a) - extent(b));

  // The ratio at the other sizes.
  function sizes(data, {a, b}) {
    const pair = find(data.main, data.rungs.indexOf(a), data.rungs.indexOf(b));
    const found = pair ? sizes_of(data).filter(({size}) => size !== data.size).map(({size, words, i}) =>
      ({size, words, other: i == null ? [pair.r, pair.v] : (pair.others || [])[i]})).filter(({other}) => other) : [];
    return found.length ? make('p', {}, 'At other sizes: ', found.map(({size, words, other: [r, v]}, i) => [i ? '; ' : '',
      link(address({a, b, size}), words.replace(/ /g, '\u00a0')), `: ${factor(r)}, ${data.verdicts[v]}`]), '.') : null;
  }

  function account(data, index) {
    const pair = find(data, index.a, index.b), [a, b] = [index.a, index.b].map(i => data.rungs[i]);
    if (!pair) return [make('p', {}, a === b ? 'Both are the same rung: choose another one.'
      : `One of the rungs has no time at ${data.size_words}.`)];
    const interval = pair.l == null ? '' : ` [${pair.l.toFixed(3)} to ${pair.h.toFixed(3)}]`;
    const noise = pair.f == null ? '' : `; noise floor ${pair.f.toFixed(2)} %`;
    const parts = (pair.r - 1) * (a.time_ns - b.time_ns) < 0 ? ' The times are medians of all rounds, '
      + 'the ratio is the median of those within a round: they need not agree.' : '';
    return [
      make('h2', {}, pair.s),
      make('p', {class: 'note'}, `${a.name} → ${b.name}`
        + `${data.size === 'as_run' ? '' : ` at ${data.size_words}`}: `
        + `${time(a.time_ns)} → ${time(b.time_ns)}, `
        + `${factor(pair.r)}${interval}, ${data.verdicts[pair.v]}${noise}.${parts}`), sizes(data, pair),
      pair.rows.length ? [make('p', {class: 'note'}, 'What each cause saved (−) or cost (+) of '
        + 'the change.'), legend(data.areas), waterfall(data, pair)]
        : make('p', {}, 'The causes are unknown: one of the rungs has no counters.'),
      data.is_other ? make('p', {class: 'note screen'}, 'What is still to be gained, where the time goes, counters and lines: ',
        link(address({a, b, size: data.main.size}), `at ${data.main.size_words}`), '.')
        : [remaining(data, pair), ledger(data, pair), metrics(data, pair), hot_lines(data, pair)],
      commands(data, pair),
    ].flat(Infinity).filter(node => node);
  }

  // ---- what is chosen ---------------------------------------------------------------------------

  // family; size, or null for the primary one; a and b: names of rungs, or their numbers in the ladder;
  // note: what became of a choice
  const state = {};
  const ACROSS = 'Only rungs of one ladder are compared. A rung of another ladder was replaced by one beside '
    + 'the rung that stayed.';
  const sides = ['a', 'b'], other_of = side => side === 'a' ? 'b' : 'a';

  // A script element also loads from file://. `then` is called with the data, if they came.
  const loading = new Map();
  function load(name, then) {
    if (!loading.has(name)) {
      const script = make('script', {src: 'compare-' + encodeURIComponent(name) + '.js'});
      loading.set(name, new Promise(resolve => {
        script.onload = script.onerror = () => resolve(files.get(name));
      }));
      document.head.append(script);
    }
    loading.get(name).then(then);
  }

  let show = () => {};

  // Beside a rung that was chosen alone stands its neighbour.
  function fill(data) {
    const [a, b] = sides.map(side => data.rungs.findIndex(({variant, key}) => state[side]
      && (variant === state[side] || key === state[side] || Number(key) === Number(state[side]))));
    const last = data.rungs.length - 1;
    const index = a >= 0 && b >= 0 ? {a, b} : a >= 0 ? {a, b: a < last ? a + 1 : a - 1}
      : b >= 0 ? {a: b > 0 ? b - 1 : b + 1, b} : data.start;
    for (const side of sides) {
      state[side] = data.rungs[index[side]].variant;
      lists[side].name();
    }
    const [before, after] = [index.a, index.b].map(i => data.rungs[i]), now = {a: before, b: after, size: state.size};
    const hash = address(now, 'variant');
    if (location.hash !== hash) history.replaceState(null, '', hash);
    // Who chooses the rung of the other side exchanges both.
    for (const side of sides) at(side + '-rungs').replaceChildren(...data.rungs.map(rung => link(address({...now, ...(rung === now[other_of(side)]
      ? {a: after, b: before} : {[side]: rung})}), rung.key, rung === now[side], rung.name)));
    const all = sizes_of(data);
    at('sizes').replaceChildren(...all.length > 1 ? [make('span', {}, 'Size'), ...all.map(({size, words}) =>
      link(address({...now, size}), words, size === data.size))] : []);
    show_chosen(document.querySelectorAll('.strip'));
    const note = state.note ? [make('p', {class: 'note', role: 'status'}, state.note)] : [];
    show = () => at('result').replaceChildren(...note, ...account(data, index));
    show();
  }

  // The data of a ladder at the size that is chosen.
  function at_size(main, then) {
    main.main = main;
    if (!state.size || !main.sizes.some(([size]) => size === state.size)) state.size = null;
    if (!state.size) return then(main);
    load(`${main.family}-${state.size}`, other => then(other && {...main, ...other, main, is_other: true,
      rungs: main.rungs.map((rung, i) => ({...rung, time_ns: other.times[i]}))}));
  }

  // Only the last choice is shown: data that come after a later one are just kept.
  let choices = 0;
  function choose(note = '') {
    const choice = ++choices;
    state.note = note;
    at('result').ariaBusy = 'true';
    const show_data = data => {
      if (choice !== choices) return;
      at('result').ariaBusy = 'false';
      if (data) fill(data);
      else at('result').replaceChildren(make('p', {}, 'The data could not be loaded.'));
    };
    load(state.family, main => main ? at_size(main, show_data) : show_data());
  }

  function take(side, {family, variant}) {
    const other = other_of(side), is_across = family !== state.family;
    if (is_across) Object.assign(state, {family, [other]: undefined, size: null});
    else if (variant === state[other]) state[other] = state[side];
    state[side] = variant;
    choose(is_across ? ACROSS : '');
  }

  function read_address() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const [a, b] = sides.map(side => (wanted.get(side) || '').split('/'));
    const is_known = ([name]) => rungs.some(({family}) => family === name);
    [state.family] = [a, b].find(is_known) || [rungs[0].family];
    [state.a, state.b] = [a, b].map(([family, rung]) => family === state.family ? rung : undefined);
    state.size = wanted.get('size');
    choose(a[1] && b[1] && a[0] !== b[0] ? ACROSS : '');
  }

  // ---- the lists to type in ---------------------------------------------------------------------

  // All rungs: family, variant; name: as the lists show it; words: what a reader may type.
  let rungs = [];
  const lists = {}, has_keys = () => matchMedia('(hover: hover) and (pointer: fine)').matches;

  // Typing shows the rungs whose words contain every piece that was typed, those of the ladder shown
  // first. Keys move in the list and take from it; who leaves the field changes nothing. Who has
  // chosen Before chooses After next, unless the keyboard of a touch screen would hide the page.
  function make_list(side) {
    const input = at(side), list = at(side + '-list');
    let found = [], marked = -1;
    const chosen = () => rungs.find(({family, variant}) => family === state.family
      && variant === state[side]);
    function mark(index) {
      marked = index;
      [...list.children].forEach((row, i) => row.role && (row.ariaSelected = String(i === index)));
      const row = found.length ? list.children[index] : null;
      if (row) row.scrollIntoView({block: 'nearest'});
      if (row) input.setAttribute('aria-activedescendant', row.id);
      else input.removeAttribute('aria-activedescendant');
    }
    function open(typed) {
      const pieces = typed.toLowerCase().split(/\s+/);
      found = rungs.filter(({words}) => pieces.every(piece => words.includes(piece)));
      found = [...found.filter(rung => rung.family === state.family),
        ...found.filter(rung => rung.family !== state.family)];
      list.replaceChildren(...found.map(({name}, i) =>
        make('li', {role: 'option', id: `${side}-${i}`}, name)));
      if (!found.length) list.append(make('li', {}, 'No rung has such a name.'));
      list.hidden = false;
      input.ariaExpanded = 'true';
      mark(Math.max(0, typed ? 0 : found.indexOf(chosen())));
    }
    // What is being typed stays when data come, and who is about to type still replaces the name.
    function name() {
      const words = chosen() ? chosen().name : '';
      if (!list.hidden || input.value === words) return;
      input.value = words;
      if (document.activeElement === input) input.select();
    }
    function close() {
      list.hidden = true;
      input.ariaExpanded = 'false';
      input.removeAttribute('aria-activedescendant');
      name();
    }
    const pick = index => {
      close();
      if (!found[index]) return;
      take(side, found[index]);
      if (side === 'a' && has_keys()) lists.b.ask();
    };
    const show_all = () => {
      if (!list.hidden) return;
      input.select();
      open('');
    };
    input.addEventListener('click', show_all);
    input.addEventListener('input', () => open(input.value.trim()));
    input.addEventListener('blur', close);
    input.addEventListener('keydown', event => {
      const move = {ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8}[event.key];
      if (move && list.hidden) show_all();
      else if (move) mark(Math.min(found.length - 1, Math.max(0, marked + move)));
      else if (event.key === 'Enter' && !list.hidden) pick(marked);
      else if (event.key === 'Escape') close();
      else return;
      event.preventDefault();
    });
    // The field keeps the focus while the list is scrolled or a row is pressed.
    list.addEventListener('mousedown', event => event.preventDefault());
    list.addEventListener('click', event => {
      const row = event.target.closest('[role=option]');
      if (row) pick([...list.children].indexOf(row));
    });
    const ask = () => {
      input.focus();
      show_all();
    };
    return {name, ask, close};
  }

  function listen() {
    let ladder = ''; // the title of a ladder stands at its first rung
    rungs = [...at('rungs').options].map(({value, text, dataset}) => {
      const [family, variant] = value.split('/'), name = `${family}/${text}`;
      ladder = dataset.ladder || ladder;
      return {family, variant, name, words: `${name} ${value} ${ladder}`.toLowerCase()};
    });
    if (!rungs.length)
      return at('result').append(make('p', {}, 'The run has no two rungs to compare.'));
    for (const side of sides) {
      lists[side] = make_list(side);
      // A list that closed as a rung is pressed would move the rung away from the pointer.
      at(side + '-rungs').addEventListener('mousedown', event => event.preventDefault());
      at(side + '-rungs').addEventListener('click', () => sides.forEach(each => lists[each].close()));
    }
    at('swap').addEventListener('click', () => {
      [state.a, state.b] = [state.b, state.a];
      choose();
    });
    addEventListener('hashchange', read_address);
    for (const [event, width] of [['beforeprint', 720], ['afterprint', 0]])
      addEventListener(event, () => {
        paper = width;
        show();
      });
    const is_asked = location.hash !== '';
    read_address();
    if (!is_asked && has_keys()) at('a').focus({preventScroll: true});
  }

  addEventListener('DOMContentLoaded', listen);
  return {add: data => files.set(data.times ? `${data.family}-${data.size}` : data.family, data)};
})();
