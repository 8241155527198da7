// Fills compare.html: two rungs are chosen, compare_model.js compares them, and whyfast.js has what
// this page shares with the others. Text from a run only becomes text of the page, never markup.
'use strict';

(() => {
  const {GROUPS, change, human, legend, make, percent, time, times_like} = whyfast;
  const {ladders, causes_of, point_of, explain} = whyfast_compare;
  const at = id => document.getElementById(id);

  function size_words(size) {
    if (size.includes('x')) return size.replace(/x/g, ' × ');
    const power = Math.log2(Number(size));
    return Number.isInteger(power) && power >= 10
      ? '2' + String(power).replace(/[0-9]/g, digit => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]) : human(Number(size));
  }

  // ---- what is chosen ---------------------------------------------------------------------------

  let other = null; // the data of another run, or null
  const state = {};
  const origin_of = ({run}) => `${run.device || 'unknown device'}, ${run.date || 'no date'}`;
  const data_of = side => side === 'b' && other ? other : ladders.get(state['family_' + side]);
  const sizes_of = (data, variant) => Object.keys(data.points)
    .filter(key => key.startsWith(variant + ' ')).map(key => key.slice(variant.length + 1));

  function options(select, values, chosen) {
    select.replaceChildren(...values.map(([value, words]) => make('option', {value}, words)));
    if (values.some(([value]) => value === chosen)) select.value = chosen;
    return select.value;
  }

  const rung_words = ([variant, , title]) => [variant, variant.split('_')[0] + ' ' + title];

  // A script element also loads from file://. `then` is called with whether it came.
  const loading = new Map();
  function load(family, then) {
    if (ladders.has(family)) return then(true);
    if (!loading.has(family)) {
      const script = make('script', {src: 'compare-' + encodeURIComponent(family) + '.js'});
      loading.set(family, new Promise(resolve => {
        script.onload = () => resolve(ladders.has(family));
        script.onerror = () => resolve(false);
      }));
      document.head.append(script);
    }
    loading.get(family).then(then);
  }

  const gain_of = ({points, primary}, [variant, , , , before]) => {
    const [then, now] = [before, variant].map(name => points[name + ' ' + primary]);
    return then && now ? then[2] / now[2] : 0;
  };

  // The default is the step that pays most.
  function fill() {
    const data = {a: data_of('a'), b: data_of('b')};
    const known = (side, wanted) => data[side].rungs.find(([variant, rung]) => variant === wanted
      || wanted && String(rung) === wanted.replace(/^0+(?=[0-9])/, ''));
    const timed = data.b.rungs.filter(rung => rung[3] === 'kernel' && sizes_of(data.b, rung[0])
      .includes(data.b.primary));
    const best = timed.reduce((most, rung) => most && gain_of(data.b, most) >= gain_of(data.b, rung)
      ? most : rung, null);
    const after = known('b', state.b) || best || data.b.rungs[0];
    state.b = options(at('b'), data.b.rungs.map(rung_words), after[0]);
    const first = known('a', state.a) || known('a', after[4]) || data.a.rungs[0];
    state.a = options(at('a'), data.a.rungs.map(rung_words), first[0]);
    const sizes_after = new Set(sizes_of(data.b, state.b));
    const sizes = sizes_of(data.a, state.a).filter(size => sizes_after.has(size));
    const wanted = sizes.includes(state.size) ? state.size : sizes.includes(data.a.primary)
      ? data.a.primary : sizes[sizes.length - 1];
    state.size = options(at('size'), sizes.map(size => [size, size_words(size)]), wanted);
    if (other) state.family_b = other.family;
    const address = '#a=' + state.family_a + '/' + state.a + '&b=' + state.family_b + '/' + state.b
      + '&size=' + state.size;
    if (!other && location.hash !== address) history.replaceState(null, '', address);
    at('result').replaceChildren(...(state.size ? account(data) : [make('p', {},
      'Both were not measured at any common size.')]));
  }

  // Only the last choice is shown: data that come after a later one are just kept.
  let choices = 0;
  function choose() {
    const choice = ++choices;
    at('result').ariaBusy = 'true';
    at('family_a').value = state.family_a;
    if (!other) at('family_b').value = state.family_b;
    load(state.family_a, came_a => load(other ? state.family_a : state.family_b, came_b => {
      if (choice !== choices) return;
      at('result').ariaBusy = 'false';
      if (came_a && came_b) fill();
      else at('result').replaceChildren(make('p', {}, 'The data of '
        + (came_a ? state.family_b : state.family_a) + ' could not be loaded.'));
    }));
  }

  const name_of = side => state[side]
    + (!other ? '' : side === 'a' ? ' (this report)' : ' (the other)');

  // ---- the account ------------------------------------------------------------------------------

  // Part of a bar: from `left`, in per cent of its room.
  const bar = (left, width, classes, title) =>
    make('i', {style: `left: ${left}%; width: ${width}%`, class: classes, title});

  // The rows of the waterfall, as `whyfast explain A B` lists them (report/explain_pair.sql).
  // Small causes share one row, and so do those that save less than the last digit of a time.
  function rows_of(found, a, b) {
    const least = 1e-4 * Math.max(a.time_ns, b.time_ns), shown = [], small = [];
    for (const row of found) {
      const share = row.status === 'resolved' || row.status === 'model' ? 0.5 : 2;
      const is_small = Math.abs(row.share_pct) < share || Math.abs(row.saved_ns) < least;
      (is_small ? small : shown).push(row);
    }
    shown.sort((x, y) => (x.status === 'model') - (y.status === 'model')
      || Math.abs(y.saved_ns) - Math.abs(x.saved_ns));
    const rest = small.reduce((sum, row) => sum + row.saved_ns, 0);
    if (Math.abs(rest) >= least) {
      const end = shown.findIndex(row => row.status === 'model');
      shown.splice(end < 0 ? shown.length : end, 0, {saved_ns: rest, status: 'rest',
        title: small.length === 1 ? '1 smaller cause'
          : `${small.length} smaller causes, together`});
    }
    return shown;
  }

  // What stands below the name of a significant cause: its details, its witness, and its lines.
  function notes_of(row, cause, by_name, a, b, lines, time) {
    const least = 0.005 * Math.abs(a.time_ns - b.time_ns), notes = [];
    const details = row.details.length > 1 ? row.details.filter(part =>
      Math.abs(part.saved_ns) >= least).sort((x, y) => Math.abs(y.saved_ns) - Math.abs(x.saved_ns))
      : [];
    const was = a.counters[cause.witness], is = b.counters[cause.witness];
    const [from, to] = [lines.a[cause.name], lines.b[cause.name]];
    if (was != null && is != null) notes.push(`${cause.witness} ${human(was)} → ${human(is)}`);
    if (from && to) notes.push('mostly at ' + (from === to ? from : `${from} → ${to}`));
    else if (from || to) notes.push('mostly at ' + (from ? from + ' before' : to + ' after'));
    return [details.map(part => by_name.get(part.cause).title + ' ' + time(-part.saved_ns, true)),
      notes].filter(list => list.length);
  }

  // Rows from the time before to the time after; `time` writes all of them in one unit.
  function waterfall(rows, by_name, a, b, lines, time) {
    let level = a.time_ns;
    let high = Math.max(a.time_ns, b.time_ns), low = Math.min(a.time_ns, b.time_ns);
    for (const row of rows) {
      row.from = level;
      level -= row.saved_ns;
      high = Math.max(high, level);
      low = Math.min(low, level);
    }
    // The axis begins above 0 if all changes are small, and below if causes save more than all.
    const start = low > 0.45 * high ? Math.max(0, low - 0.6 * (high - low)) : Math.min(0, low);
    const part = ns => 100 * ns / (high - start);
    const total = (words, ns) => make('div', {class: 'fall'}, make('b', {}, words),
      make('div', {class: 'space'}, bar(part(Math.max(-start, 0)),
        part(ns - Math.max(start, 0)), 'total')),
      make('b', {class: 'number'}, time(ns)));
    const fall = row => {
      const cause = by_name.get(row.detail || row.cause), is_sure = row.status === 'resolved';
      const notes = is_sure ? notes_of(row, cause, by_name, a, b, lines, time)
        : row.status === 'unresolved' ? [['within the uncertainty']]
          : cause && row.status !== 'model' ? [[row.status]] : [];
      const title = row.title || (row.detail ? by_name.get(row.cause).title + ': ' : '')
        + cause.title;
      const left = Math.min(row.from, row.from - row.saved_ns);
      const group = row.status === 'model' ? 6 : cause ? cause.group : 5;
      return make('div', {class: 'fall'}, make('span', {}, title,
        notes.map(words => make('small', {class: 'note'}, words.join('; ')))),
      make('div', {class: 'space'}, bar(part(left - start), part(Math.abs(row.saved_ns)),
        `g${group}` + (is_sure ? '' : ' pale'))),
      make('span', {class: 'number'}, time(-row.saved_ns, true)));
    };
    return make('div', {class: 'rows'}, total(name_of('a'), a.time_ns), rows.map(fall),
      total(name_of('b'), b.time_ns),
      start > 0 ? make('p', {class: 'note'}, `The axis begins at ${time(start)}.`) : null);
  }

  const remaining = (causes, point) => point.remains.length ? make('p', {},
    `Still to be gained from ${name_of('b')}, by the model: `
    + point.remains.map(([cause, ns, share, later, saved]) =>
      `${causes[cause].title} ${percent(share)}, ${time(ns)}`
      + (later ? ` (${later} saved ${time(saved)})` : '')).join('; ') + '.') : null;

  // The ledger of both: their time by group of causes.
  function ledger(data, a, b) {
    const most = Math.max(a.time_ns, b.time_ns), time = times_like(most);
    const row = (words, point, from) => {
      const sums = GROUPS.map(() => 0), causes = causes_of(from);
      for (const [cause, ns] of point.levels) sums[causes[cause].group] += ns;
      // As on a ladder's page, the parts share the time: a negative one has no bar.
      const whole = sums.reduce((total, ns) => total + Math.max(ns, 0), 0);
      const room = 100 * point.time_ns / most;
      let left = 0;
      const bars = sums.map((ns, group) => {
        const wide = room * Math.max(ns, 0) / whole;
        const node = ns > 0 ? bar(left, wide, 'g' + group, `${GROUPS[group]}: ${time(ns)}`) : null;
        left += ns > 0 ? wide : 0;
        return node;
      });
      return make('div', {class: 'time'}, make('span', {}, words),
        make('div', {class: 'space'}, bars), make('span', {class: 'number'}, time(point.time_ns)));
    };
    return [make('h2', {}, 'Where the time goes'), make('div', {class: 'rows'},
      row(name_of('a'), a, data.a), row(name_of('b'), b, data.b))];
  }

  function metric_words(data, name) {
    const [words, unit] = data.a.metrics[name] || [];
    return (words || name.replace(/_/g, ' ')) + (unit ? ', ' + unit : '');
  }

  // The counters that changed by 2 % or more, the largest change first.
  function ratios(data, a, b) {
    const rows = Object.keys(a.counters).filter(name => a.counters[name] != null
      && b.counters[name] != null && a.counters[name] !== b.counters[name]).map(name => {
      const ratio = b.counters[name] / a.counters[name];
      return {name, ratio, size: ratio > 0 ? Math.abs(Math.log(ratio)) : Infinity};
    }).filter(row => row.size >= 0.02).sort((x, y) => y.size - x.size).slice(0, 12);
    if (!rows.length) return [];
    return [make('h2', {}, 'Counters that changed'), make('div', {class: 'box'}, make('table', {},
      make('thead', {}, make('tr', {}, ['Metric', 'Before', 'After', 'Ratio'].map((words, i) =>
        make('th', i ? {class: 'n'} : {}, words)))),
      make('tbody', {}, rows.map(row => make('tr', {},
        make('td', {title: row.name}, metric_words(data, row.name)),
        make('td', {class: 'n'}, human(a.counters[row.name])),
        make('td', {class: 'n'}, human(b.counters[row.name])),
        make('td', {class: 'n'}, Number.isFinite(row.ratio) && row.ratio > 0
          ? row.ratio.toPrecision(3) + '×' : '–'))))))];
  }

  function hot_lines(data) {
    const side = (name, list) => make('div', {}, make('h3', {}, name), list ? list.map(
      ([where, text, share, reason]) => make('p', {class: 'hot'}, make('b', {}, share + ' %'), ' ',
        where, reason ? ', ' + reason.replace(/_/g, ' ') : '', text ? make('code', {}, text) : ''))
      : make('p', {class: 'note'}, 'No lines of the program are known.'));
    return [make('h2', {}, 'Lines with the most stall samples'), make('div', {class: 'beside'},
      side(name_of('a'), data.a.hot[state.a]), side(name_of('b'), data.b.hot[state.b]))];
  }

  function commands() {
    const a = state.family_a + '/' + state.a, b = state.family_b + '/' + state.b;
    const lines = other ? [`whyfast explain RUN1 RUN2 ${a} ${b} -s ${state.size}`,
      `whyfast compare RUN1 RUN2 ${a}`] : [`whyfast explain RUN ${a} ${b} -s ${state.size}`,
      `whyfast lines RUN ${a} ${b}`];
    return [make('p', {class: 'note'}, 'The same in a terminal; RUN is the directory of '
      + (other ? 'a report:' : 'this report:')), make('pre', {}, lines.join('\n'))];
  }

  function account(data) {
    const a = point_of(data.a, state.a, state.size), b = point_of(data.b, state.b, state.size);
    const causes = causes_of(data.b), by_name = new Map(causes.map(cause => [cause.name, cause]));
    const found = explain(a, b, causes), ratio = a.time_ns / b.time_ns;
    const sure = found.evidence === 'faster' || found.evidence === 'slower';
    const main = found.causes && sure ? found.causes.filter(row => row.status === 'resolved'
      && row.saved_ns * (a.time_ns - b.time_ns) > 0)
      .sort((x, y) => Math.abs(y.saved_ns) - Math.abs(x.saved_ns))[0] : null;
    const part = main && main.detail && main.details.length > 1
      ? main.details.find(row => row.cause === main.detail) : null;
    const low = a.low_ns / b.high_ns, high = a.high_ns / b.low_ns;
    const has_interval = [a, b].every(side => side.low_ns !== null && side.high_ns !== null);
    const has_floor = a.floor_pct !== null && b.floor_pct !== null;
    const lines = {a: data.a.lines[state.a] || {}, b: data.b.lines[state.b] || {}};
    const time = times_like(Math.max(a.time_ns, b.time_ns));
    const saved = row => by_name.get(row.cause).title + ' ' + time(-row.saved_ns, true);
    return [
      make('h2', {}, sure ? `${name_of('b')} is ${change(ratio)} than ${name_of('a')}`
        : `${name_of('b')} and ${name_of('a')} do not differ beyond the noise`,
      ` at ${size_words(state.size)}: ${time(a.time_ns)} → ${time(b.time_ns)}`,
      main ? `, mostly by ${saved(main)}` + (part ? ` (${saved(part)})` : '') : '', '.'),
      make('p', {class: 'note'}, 'Ratio ' + ratio.toFixed(3)
        + (has_interval ? ` [${low.toFixed(3)} to ${high.toFixed(3)}]` : '')
        + (has_floor ? `; noise floor ${Math.max(a.floor_pct, b.floor_pct).toFixed(2)} %` : '')
        + (other ? `; after: ${origin_of(other)}` : '') + '.'),
      found.causes ? [make('p', {class: 'note'}, sure ? 'The time that each cause alone saved (−) '
        + 'or cost (+). Pale: not significant.' : 'The difference may be noise; the causes of it '
        + 'nevertheless:'), waterfall(rows_of(found.causes, a, b), by_name, a, b, lines, time),
      legend(), remaining(causes, b)]
        : make('p', {}, 'The causes are unknown: ' + (a.features ? state.b : state.a)
          + ' has no counters from which its time could be divided.'),
      a.levels && b.levels ? ledger(data, a, b) : [],
      ratios(data, a, b), hot_lines(data), commands(),
    ].flat().filter(node => node);
  }

  // ---- what a reader does -----------------------------------------------------------------------

  function read_address() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const families = [...at('family_a').options].map(option => option.value);
    for (const side of ['a', 'b']) {
      const [family, rung] = (wanted.get(side) || '').split('/');
      state['family_' + side] = families.includes(family) ? family
        : side === 'b' ? state.family_a : families[0];
      state[side] = rung;
    }
    state.size = wanted.get('size');
    choose();
  }

  // A data file is JSON in one call; it is never run.
  async function read_file(file) {
    const text = file ? await file.text() : '';
    const found = /^\s*whyfast_compare\.add\(([\s\S]*)\);\s*$/.exec(text);
    try {
      other = file ? JSON.parse(found[1]) : null;
      if (other && !(['points', 'rungs', 'causes', 'run', 'counter_names', 'lines', 'hot']
        .every(name => other[name]) && other.causes.every(([, , group]) => GROUPS[group])))
        throw new Error('no ladder');
      at('other').textContent = other ? `After: ${other.title}, ${origin_of(other)}` : '';
      state.family_b = other ? other.family : state.family_a;
      state.b = state.a;
    } catch (_) {
      other = null;
      at('other').textContent
        = 'This is no file compare-LADDER.js of a report by this version of whyfast.';
    }
    at('family_b').disabled = Boolean(other);
    choose();
  }

  if (!at('family_a').options.length)
    at('result').append(make('p', {}, 'The run has no times to compare.'));
  else {
    at('family_b').append(...[...at('family_a').options].map(option => option.cloneNode(true)));
    for (const id of ['family_a', 'family_b', 'a', 'b', 'size'])
      at(id).addEventListener('change', () => {
        state[id] = at(id).value;
        if (id.startsWith('family')) state[id.slice(-1)] = undefined;
        if (id === 'family_a' && !other) { state.family_b = state.family_a; state.b = undefined; }
        choose();
      });
    at('swap').addEventListener('click', () => {
      if (other) return;
      [state.family_a, state.family_b] = [state.family_b, state.family_a];
      [state.a, state.b] = [state.b, state.a];
      choose();
    });
    at('file').addEventListener('change', () => read_file(at('file').files[0]));
    addEventListener('hashchange', read_address);
    read_address();
  }
})();
