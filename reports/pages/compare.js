// Compares two rungs. The first part is the account of `whyfast explain A B`: the model of time
// (harness/explain/time_model.c) and the comparison of two points (counterfactual.c), statement by
// statement; tests/pages/compare.sh compares it with the tables that those write. The second part
// fills compare.html. Text from a run only becomes text of the page, never markup.
'use strict';

const whyfast_compare = (() => {
  // ---- the model of time --------------------------------------------------------------------------

  const inputs = ['issue', 'fma', 'alu', 'data', 'fixed', 'short', 'short_queue', 'long',
    'long_queue', 'turnover', 'loaded_bytes', 'bytes_per_wait', 'wait_cycles', 'l2_ns', 'dram_ns',
    'round_trip_ns', 'atomic_ns', 'warps', 'short_slots', 'long_slots', 'group', 'uneven',
    'launch_ns', 'end', 'ghz', 'dram_rate', 'unexplained', 'scale'];
  const products = new Set(['bytes_per_wait', 'wait_cycles', 'warps', 'short_slots', 'long_slots',
    'group', 'uneven', 'ghz', 'dram_rate', 'unexplained', 'scale']);
  const waits = new Set(['short', 'long', 'wait_cycles']);
  const queues = new Set(['short_queue', 'long_queue']);
  const beside_issue = 20, beside_data = 10, beside_device = 4;
  const between_warps = 0.2, between_groups = 0.5, saturated_from = 0.85;

  function overlap(exponent, a, b) {
    const larger = Math.max(a, b);
    if (!(larger > 0)) return 0;
    return larger * Math.pow(Math.pow(a / larger, exponent) + Math.pow(b / larger, exponent),
      1 / exponent);
  }

  function share(work, wait, customers, exponent) {
    const n = Math.max(customers, 1);
    return work / n + overlap(1 + exponent * Math.log2(n), work * (1 - 1 / n), wait);
  }

  function sm_cycles(x) {
    const slots = overlap(beside_issue, overlap(beside_issue, x.issue, x.fma), x.alu);
    const few = (x.fixed + x.short + x.short_queue) / (x.warps * x.short_slots);
    const busy = overlap(beside_data, x.data, share(slots, few, x.warps, between_warps));
    const many = (x.long + x.long_queue + x.turnover
      + x.loaded_bytes / x.bytes_per_wait * x.wait_cycles) / (x.warps * x.long_slots);
    return share(busy, many, x.warps / x.group, between_groups);
  }

  function cycles_of(x, dram_alone) {
    const dram_ns = x.dram_ns / x.dram_rate;
    if (dram_alone) return dram_ns * x.ghz * x.uneven;
    const sm = sm_cycles(x) * x.uneven * x.unexplained;
    let cycles = overlap(beside_device, sm, x.l2_ns * x.ghz);
    cycles = overlap(beside_device, cycles, x.atomic_ns * x.ghz);
    return overlap(beside_device, cycles, dram_ns > 0 ? (dram_ns + x.round_trip_ns) * x.ghz : 0);
  }

  // The inputs of a point, with the features of some causes taken from another one.
  function gather(point, other, takes) {
    const x = {};
    for (const input of inputs) x[input] = products.has(input) ? 1 : 0;
    const add = (from, is_other) => {
      for (const [input, cause, value] of from.features)
        if ((takes ? takes(cause) : false) === is_other) {
          if (products.has(input)) x[input] *= value;
          else x[input] += value;
        }
    };
    add(point, false);
    if (other) add(other, true);
    return x;
  }

  function model_ns(point, other, takes) {
    const x = gather(point, other, takes);
    return x.launch_ns + (cycles_of(x, point.dram_alone) * x.scale + x.end) / x.ghz;
  }

  function busy_cycles(point) {
    const x = gather(point);
    return Math.max((point.time_ns - x.launch_ns) * x.ghz - x.end, 300);
  }

  function is_saturated(point) {
    const x = gather(point);
    return x.dram_ns * x.ghz > saturated_from * busy_cycles(point);
  }

  function fit_point(point) {
    const target = busy_cycles(point), base = gather(point);
    const fit = {waits: 1, queues: 0, rate: 1, unexplained: 1};
    const fitted = () => {
      const x = {...base};
      for (const input of waits) x[input] *= fit.waits;
      for (const input of queues) x[input] *= fit.queues;
      x.dram_rate *= fit.rate;
      x.unexplained *= fit.unexplained;
      return cycles_of(x, point.dram_alone);
    };
    const solve = (name, low, high) => {
      for (let i = 0; i < 60; i++) {
        fit[name] = (low + high) / 2;
        if (fitted() < target) low = fit[name];
        else high = fit[name];
      }
    };
    const fit_waits = () => {
      const name = fitted() < target ? 'queues' : 'waits';
      fit[name] = name === 'queues' ? 1 : 0;
      if (name === 'queues' ? fitted() < target : fitted() > target) return false;
      solve(name, 0, 1);
      return true;
    };
    const fit_rest = () => {
      if (fit.waits === 0 && is_saturated(point)) {
        fit.rate = 4;
        if (fitted() <= target) return solve('rate', 4, 1);
        fit.rate = 1;
      }
      solve('unexplained', fit.waits === 0 ? 0.2 : 1, fit.waits === 0 ? 1 : 100);
    };
    if (!fit_waits()) fit_rest();
    const cycles = fitted();
    for (const feature of point.features) {
      if (waits.has(feature[0])) feature[2] *= fit.waits;
      if (queues.has(feature[0])) feature[2] *= fit.queues;
    }
    point.features.push(['dram_rate', 'dram_rate', fit.rate],
      ['unexplained', 'residual', fit.unexplained], ['scale', 'residual', target / cycles]);
  }

  function account_point(point) {
    const x = gather(point);
    point.dram_alone = true;
    point.features.push(['dram_rate', 'dram_rate',
      x.dram_ns * x.ghz * x.uneven / busy_cycles(point)]);
  }

  // ---- two points ---------------------------------------------------------------------------------

  const sum_of = (point, ...names) => names.reduce((sum, name) => sum + point.features.reduce(
    (part, [input, , value]) => part + (input === name ? value : 0), 0), 0);
  const product_of = (point, name, cause) => point.features.reduce((product, feature) =>
    feature[0] === name && (!cause || feature[1] === cause) ? product * feature[2] : product, 1);

  function join_waits(point) {
    const count = sum_of(point, 'loaded_bytes') / sum_of(point, 'bytes_per_wait');
    for (const feature of point.features) {
      if (feature[0] === 'loaded_bytes') feature[2] = 0;
      if (feature[0] === 'bytes_per_wait') feature[2] = 1;
      if (feature[0] !== 'wait_cycles') continue;
      feature[0] = 'long';
      feature[2] *= count;
    }
  }

  function set_off(before, after, names, was, is, slots) {
    const by_warps = Math.log(sum_of(after, 'warps') / sum_of(before, 'warps'));
    const by_waits = Math.log(is / was);
    if (!(by_warps * by_waits > 0)) return;
    const common = Math.abs(by_warps) < Math.abs(by_waits) ? by_warps : by_waits;
    for (const feature of after.features)
      if (names.includes(feature[0])) feature[2] *= Math.exp(-common);
    after.features.push([slots, 'residency', Math.exp(-common)]);
  }

  function set_off_waits(before, after) {
    const few = ['fixed', 'short', 'short_queue'], many = ['long', 'long_queue', 'turnover'];
    const memory_wait = point => {
      const bytes = sum_of(point, 'loaded_bytes');
      return bytes > 0
        ? bytes / sum_of(point, 'bytes_per_wait') * sum_of(point, 'wait_cycles') : 0;
    };
    const was = sum_of(before, ...many) + memory_wait(before);
    const is = sum_of(after, ...many) + memory_wait(after);
    set_off(before, after, few, sum_of(before, ...few), sum_of(after, ...few), 'short_slots');
    set_off(before, after, [...many, 'loaded_bytes'], was, is, 'long_slots');
  }

  function set_off_rate(before, after) {
    const evener = Math.log(product_of(before, 'uneven') / product_of(after, 'uneven'));
    const faster = Math.log(product_of(after, 'dram_rate') / product_of(before, 'dram_rate'));
    if (!(evener * faster < 0)) return;
    const common = Math.abs(evener) < Math.abs(faster) ? evener : -faster;
    for (const feature of after.features) {
      if (feature[0] === 'dram_rate') feature[2] *= Math.exp(common);
      if (feature[0] !== 'uneven') continue;
      feature[2] *= Math.pow(product_of(before, 'uneven', feature[1]) / feature[2],
        common / evener);
    }
  }

  function fit_points(side) {
    const known = side.map(point => sum_of(point, 'bytes_per_wait') > 0);
    const saturated = side.every(is_saturated);
    side.forEach((point, i) => {
      if (known[i] && !known[1 - i]) join_waits(point);
      if (saturated) account_point(point);
      else fit_point(point);
    });
    if (saturated) set_off_rate(...side);
    else set_off_waits(...side);
  }

  // The time that each cause saves: rows {cause, within, saved_ns}, the interaction and the residual
  // last. A side is {time_ns, features: [[input, cause, value], ...]}; causes are [{name, within}].
  function counterfactual(before, after, causes) {
    const side = [before, after].map(point => ({time_ns: point.time_ns, dram_alone: false,
      features: point.features.map(feature => [...feature])}));
    fit_points(side);
    const within = new Map(causes.map(cause => [cause.name, cause.within]));
    const group = name => cause => cause === name || within.get(cause) === name;
    const times = side.map(point => model_ns(point));
    const saved_alone = name => {
      const takes = group(name);
      const first = times[0] - model_ns(side[0], side[1], takes);
      return (first + model_ns(side[1], side[0], takes) - times[1]) / 2;
    };
    const whole = times[0] - times[1], unexplained = saved_alone('residual');
    const rows = [];
    let sum = 0;
    for (const cause of causes) {
      const takes = group(cause.name);
      if (cause.name === 'residual'
          || !side.some(point => point.features.some(feature => takes(feature[1])))) continue;
      const saved_ns = saved_alone(cause.name);
      rows.push({cause: cause.name, within: cause.within, saved_ns});
      if (!cause.within) sum += saved_ns;
    }
    rows.push({cause: 'interaction', within: null, saved_ns: whole - unexplained - sum});
    rows.push({cause: 'residual', within: null,
      saved_ns: before.time_ns - after.time_ns - whole + unexplained});
    return rows;
  }

  // ---- the account of explain ---------------------------------------------------------------------

  const half_of = point => point.low_ns === null || point.high_ns === null
    ? NaN : (point.high_ns - point.low_ns) / 2;

  function evidence_of(a, b) {
    const low = a.low_ns / b.high_ns, high = a.high_ns / b.low_ns;
    const floor = Math.max(a.floor_pct, b.floor_pct) / 100;
    if ([a, b].some(side => side.low_ns === null || side.high_ns === null
        || side.floor_pct === null)) return 'not measured';
    return low > 1 + floor ? 'faster' : high < 1 - floor ? 'slower' : 'no evidence';
  }

  function leading_detail(rows, whole) {
    let most = null, moved = 0, sum = 0;
    for (const row of rows) {
      if (row.within !== whole.cause) continue;
      sum += row.saved_ns;
      moved += Math.abs(row.saved_ns);
      if (row.saved_ns * whole.saved_ns > 0
          && (!most || Math.abs(row.saved_ns) > Math.abs(most.saved_ns))) most = row;
    }
    moved += Math.abs(whole.saved_ns - sum);
    return most && Math.abs(most.saved_ns) >= moved / 2 ? most.cause : null;
  }

  function witness_status(cause, a, b, saved_ns) {
    const was = a.counters[cause.witness], is = b.counters[cause.witness];
    if (was === undefined || is === undefined || was === null || is === null) return 'resolved';
    const size = Math.max(Math.abs(was), Math.abs(is));
    const moved = (cause.costs === 'more' ? 1 : -1) * (was - is) * Math.sign(saved_ns);
    if (moved > 0.005 * size) return 'resolved';
    return Math.abs(was - is) < 0.005 * size || was === is
      ? 'its witness stood still' : 'its witness moved the other way';
  }

  // The account of two points {time_ns, low_ns, high_ns, floor_pct, features, counters}: its causes
  // as {cause, detail, saved_ns, share_pct, status, details}, or null if one has no features.
  function explain(a, b, causes, evidence = evidence_of(a, b)) {
    if (!a.features || !b.features) return {evidence, causes: null};
    const rows = counterfactual(a, b, causes), change = a.time_ns - b.time_ns;
    if (rows.some(row => !Number.isFinite(row.saved_ns))) return {evidence, causes: null};
    const model = 0.01 * (a.time_ns + b.time_ns) / 2;
    const half_ns = Math.hypot(half_of(a), half_of(b), model);
    const by_name = new Map(causes.map(cause => [cause.name, cause]));
    const is_zero = row => Math.abs(row.saved_ns) <= 1e-9 * a.time_ns; // it is rounding
    const listed = [];
    rows.forEach((row, i) => {
      const is_model = i >= rows.length - 2;
      if (row.within || (is_zero(row) && !is_model)) return;
      const detail = leading_detail(rows, row);
      let status = is_model ? 'model' : evidence !== 'faster' && evidence !== 'slower' ? evidence
        : Math.abs(row.saved_ns) > half_ns ? 'resolved' : 'unresolved';
      if (status === 'resolved')
        status = witness_status(by_name.get(detail || row.cause), a, b, row.saved_ns);
      listed.push({cause: row.cause, detail, saved_ns: row.saved_ns, half_ns,
        share_pct: 100 * row.saved_ns / change, status,
        details: rows.filter(part => part.within === row.cause && !is_zero(part))});
    });
    return {evidence, causes: listed};
  }

  // ---- the data of a ladder -----------------------------------------------------------------------

  const ladders = new Map(); // by family: what add() was given

  function add(data) { ladders.set(data.family, data); }

  const causes_of = data => data.causes.map(([name, title, area, within, witness, costs]) =>
    ({name, title, area, within, witness, costs}));

  // The point of a variant at a size, or null.
  function point_of(data, variant, size) {
    const found = data.points[variant + ' ' + size];
    if (!found) return null;
    const [block, sweep, time_ns, low_ns, high_ns, floor_pct] = found;
    const key = [variant, size, block, sweep].join(' ');
    const features = data.features && data.features[key];
    const values = data.counters && data.counters[variant + ' ' + size] || [], counters = {};
    data.counter_names.forEach((name, i) => { counters[name] = values[i]; });
    return {time_ns, low_ns, high_ns, floor_pct, block, sweep, counters,
      features: features ? features.map(([input, cause, value]) =>
        [input, data.causes[cause][0], value]) : null,
      levels: data.levels && data.levels[key] || null,
      remains: data.remains && data.remains[key] || []};
  }

  return {add, ladders, causes_of, point_of, explain};
})();

if (typeof module !== 'undefined') module.exports = whyfast_compare;

// ---- the page -------------------------------------------------------------------------------------

if (typeof document !== 'undefined') (() => {
  const {ladders, causes_of, point_of, explain} = whyfast_compare;
  const groups = ['Useful work', 'Instructions', 'Shared memory and conflicts', 'Global memory',
    'Synchronisation', 'Launch and tail', 'Not explained'];
  const colours = ['#009e73', '#e69f00', '#d55e00', '#0072b2', '#cc79a7', '#8c8c8c'];
  const areas = {work: 0, shared_memory: 2, bank_conflicts: 2, global_memory: 3, uncoalesced: 3,
    local_memory: 3, barriers: 4, synchronisation: 4, imbalance: 5, launches: 5,
    launch_and_tail: 5, unexplained: 6};
  const group_of = cause => areas[cause.area] === undefined ? 1 : areas[cause.area];
  const at = id => document.getElementById(id);

  // make(tag, {attribute: value}, ...children): children are nodes or text.
  function make(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    node.append(...children.flat().filter(child => child !== null && child !== undefined));
    return node;
  }

  // ---- words --------------------------------------------------------------------------------------

  function time_words(ns, sign) {
    const units = ['ns', 'µs', 'ms', 's'];
    let size = Math.abs(ns), unit = 0;
    for (; size >= 999.95 && unit < 3; unit++) size /= 1000;
    const digits = ns === 0 ? 0 : size < 9.9995 ? 3 : size < 99.995 ? 2 : 1;
    return (ns < 0 ? '−' : sign ? '+' : '') + size.toFixed(digits) + '\u00a0' + units[unit];
  }

  function speed_words(ratio) {
    if (ratio >= 1.1) return ratio.toFixed(ratio < 9.995 ? 2 : 1) + '× faster';
    const change = 100 * Math.abs(ratio - 1);
    return change.toFixed(change < 9.95 ? 1 : 0) + ' % ' + (ratio < 1 ? 'slower' : 'faster');
  }

  function number_words(value) {
    if (value === null || value === undefined) return 'unknown';
    const size = Math.abs(value);
    if (size >= 1000 || Number.isInteger(value))
      return Math.round(value).toLocaleString('en').replace(/,/g, '\u202f');
    return String(Number(value.toPrecision(4)));
  }

  function size_words(size) {
    if (size.includes('x')) return size.replace(/x/g, ' × ');
    const power = Math.log2(Number(size));
    return Number.isInteger(power) && power >= 10
      ? '2' + String(power).replace(/[0-9]/g, digit => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit])
      : number_words(Number(size));
  }

  // ---- what is chosen -----------------------------------------------------------------------------

  let other = null; // the data of another run, or null
  const state = {};
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

  // The default is the last step of the ladder that is chosen before.
  function fill() {
    const data = {a: data_of('a'), b: data_of('b')};
    const known = (side, wanted) => data[side].rungs.find(([variant, rung]) => variant === wanted
      || wanted && String(rung) === wanted.replace(/^0+(?=[0-9])/, ''));
    const timed = data.b.rungs.filter(rung => rung[3] === 'kernel' && sizes_of(data.b, rung[0])
      .includes(data.b.primary));
    const last = known('b', state.b) || timed[timed.length - 1] || data.b.rungs[0];
    state.b = options(at('b'), data.b.rungs.map(rung_words), last[0]);
    const first = known('a', state.a) || known('a', last[4]) || data.a.rungs[0];
    state.a = options(at('a'), data.a.rungs.map(rung_words), first[0]);
    const after = new Set(sizes_of(data.b, state.b));
    const sizes = sizes_of(data.a, state.a).filter(size => after.has(size));
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

  function choose() {
    at('family_a').value = state.family_a;
    if (!other) at('family_b').value = state.family_b;
    load(state.family_a, came_a => load(other ? state.family_a : state.family_b, came_b => {
      if (came_a && came_b) fill();
      else at('result').replaceChildren(make('p', {}, 'The data of '
        + (came_a ? state.family_b : state.family_a) + ' could not be loaded.'));
    }));
  }

  const name_of = side => state[side]
    + (!other ? '' : side === 'a' ? ' (this report)' : ' (the other)');

  // ---- the account --------------------------------------------------------------------------------

  const bar = (left, width, group, more) => make('i', {
    style: `left: ${left}%; width: ${width}%;` + (group < 6 ? ` background: ${colours[group]};` : ''),
    class: (more || '') + (group === 6 ? ' hollow' : '')});

  // Rows from the time before to the time after.
  function waterfall(found, by_name, a, b, lines) {
    const model = found.filter(row => row.status === 'model');
    const shown = found.filter(row => row.status !== 'model'
      && Math.abs(row.share_pct) >= 0.5).sort((x, y) => Math.abs(y.saved_ns) - Math.abs(x.saved_ns));
    const small = found.filter(row => row.status !== 'model' && !shown.includes(row));
    const rows = [...shown];
    if (small.length) rows.push({words: small.length + (small.length === 1 ? ' smaller cause'
      : ' smaller causes'), saved_ns: small.reduce((sum, row) => sum + row.saved_ns, 0),
      group: 1, status: 'unresolved'});
    rows.push(...model);
    let level = a.time_ns, high = Math.max(a.time_ns, b.time_ns), low = Math.min(a.time_ns, b.time_ns);
    for (const row of rows) {
      row.from = level;
      level -= row.saved_ns;
      high = Math.max(high, level);
      low = Math.min(low, level);
    }
    // The axis begins above 0 if all changes are small, and below if causes save more than all.
    const start = low > 0.45 * high ? Math.max(0, low - 0.6 * (high - low)) : Math.min(0, low);
    const percent = ns => 100 * ns / (high - start);
    const total = (words, ns) => make('div', {class: 'fall'}, make('b', {}, words),
      make('div', {class: 'space'}, bar(percent(Math.max(-start, 0)),
        percent(ns - Math.max(start, 0)), 7, 'total')),
      make('b', {class: 'number'}, time_words(ns)));
    return make('div', {class: 'rows'}, total(name_of('a'), a.time_ns), rows.map(row => {
      const cause = row.words ? null : by_name.get(row.detail || row.cause);
      const parts = row.status === 'resolved' && row.details.length > 1 ? row.details
        .filter(part => Math.abs(part.saved_ns) >= 0.005 * Math.abs(a.time_ns - b.time_ns))
        .sort((x, y) => Math.abs(y.saved_ns) - Math.abs(x.saved_ns))
        .map(part => by_name.get(part.cause).title + ' ' + time_words(-part.saved_ns, true)) : [];
      const notes = [], is_sure = row.status === 'resolved';
      if (is_sure && cause.witness && a.counters[cause.witness] != null
          && b.counters[cause.witness] != null)
        notes.push(cause.witness + ' ' + number_words(a.counters[cause.witness]) + ' → '
          + number_words(b.counters[cause.witness]));
      if (row.status === 'unresolved' && cause) notes.push('within the uncertainty');
      else if (row.status !== 'resolved' && row.status !== 'model' && cause) notes.push(row.status);
      const where = cause && is_sure
        ? [lines.a[cause.name], lines.b[cause.name]] : [];
      if (where[0] && where[1]) notes.push('mostly at ' + (where[0] === where[1] ? where[0]
        : where[0] + ' → ' + where[1]));
      else if (where[0] || where[1])
        notes.push('mostly at ' + (where[0] ? where[0] + ' before' : where[1] + ' after'));
      const left = Math.min(row.from, row.from - row.saved_ns);
      const title = cause ? (row.detail ? by_name.get(row.cause).title + ': ' : '') + cause.title
        : row.words;
      return make('div', {class: 'fall'},
        make('span', {}, title, parts.length ? make('small', {class: 'note'}, parts.join('; '))
          : null, notes.length ? make('small', {class: 'note'}, notes.join('; ')) : null),
        make('div', {class: 'space'}, bar(percent(left - start), percent(Math.abs(row.saved_ns)),
          row.status === 'model' ? 6 : cause ? group_of(cause) : row.group, row.status === 'resolved' ? '' : 'pale')),
        make('span', {class: 'number'}, time_words(-row.saved_ns, true)));
    }), total(name_of('b'), b.time_ns), start > 0 ? make('p', {class: 'note'},
      `The axis begins at ${time_words(start)}.`) : null);
  }

  const remaining = (causes, point) => point.remains.length ? make('p', {}, 'Still to be gained from '
    + name_of('b') + ', by the model: ' + point.remains.map(([cause, ns, share, later, saved]) =>
    `${causes[cause].title} ${share.toFixed(0)} %, ${time_words(ns)}` + (later
      ? ` (${later} saved ${time_words(saved)})` : '')).join('; ') + '.') : null;

  // The ledger of both: their time by group of causes.
  function ledger(data, a, b) {
    const most = Math.max(a.time_ns, b.time_ns);
    const row = (words, point, from) => {
      const sums = groups.map(() => 0), bars = [];
      for (const [cause, ns] of point.levels)
        sums[group_of(causes_of(from)[cause])] += ns;
      let left = 0;
      sums.forEach((ns, group) => {
        if (ns > 0) bars.push(bar(100 * left / most, 100 * ns / most, group));
        if (ns > 0) bars[bars.length - 1].title = groups[group] + ': ' + time_words(ns);
        left += Math.max(ns, 0);
      });
      return make('div', {class: 'time'}, make('span', {}, words),
        make('div', {class: 'space'}, bars), make('span', {class: 'number'},
          time_words(point.time_ns)));
    };
    return [make('h2', {}, 'Where the time goes'), make('div', {class: 'rows'},
      row(name_of('a'), a, data.a), row(name_of('b'), b, data.b))];
  }

  const legend = () => make('p', {class: 'colours'}, groups.map((words, group) => make('span', {},
    make('i', {style: group < 6 ? 'background: ' + colours[group] : '',
      class: group < 6 ? '' : 'hollow'}), words)));

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
        make('td', {}, (data.a.metrics[row.name] || [row.name])[0].replace(/_/g, ' ')),
        make('td', {class: 'n'}, number_words(a.counters[row.name])),
        make('td', {class: 'n'}, number_words(b.counters[row.name])),
        make('td', {class: 'n'}, Number.isFinite(row.ratio) && row.ratio > 0
          ? row.ratio.toPrecision(3) + '×' : '–'))))))];
  }

  function hot_lines(data) {
    const side = (name, list) => make('div', {}, make('h3', {}, name), list ? list.map(
      ([where, text, share, reason]) => make('p', {class: 'hot'}, make('b', {}, share + ' %'), ' ',
        where, reason ? ', ' + reason.replace(/_/g, ' ') : '', text ? make('code', {}, text) : null))
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
    const lines = {a: data.a.lines[state.a] || {}, b: data.b.lines[state.b] || {}};
    return [
      make('h2', {}, sure ? `${name_of('b')} is ${speed_words(ratio)} than ${name_of('a')}`
        : `${name_of('b')} and ${name_of('a')} do not differ beyond the noise`,
        ` at ${size_words(state.size)}: ${time_words(a.time_ns)} → ${time_words(b.time_ns)}`,
        main ? ', mostly by ' + by_name.get(main.cause).title + ' ('
          + time_words(-main.saved_ns, true) + (part ? '; ' + by_name.get(part.cause).title + ' '
            + time_words(-part.saved_ns, true) : '') + ')' : '', '.'),
      make('p', {class: 'note'}, 'Ratio ' + ratio.toFixed(3)
        + (a.low_ns !== null && b.low_ns !== null && a.high_ns !== null && b.high_ns !== null
          ? ` [${low.toFixed(3)} to ${high.toFixed(3)}]` : '')
        + (a.floor_pct !== null && b.floor_pct !== null
          ? `; noise floor ${Math.max(a.floor_pct, b.floor_pct).toFixed(2)} %` : '')
        + (other ? `; after: ${other.run.device || 'unknown device'}, ${other.run.date || 'no date'}`
          : '') + '.'),
      found.causes ? [make('p', {class: 'note'}, sure ? 'The time that each cause alone saved (−) '
        + 'or cost (+). Pale: not significant.' : 'The difference may be noise; the causes of it '
        + 'nevertheless:'), waterfall(found.causes, by_name, a, b, lines), legend(),
        remaining(causes, b)]
        : make('p', {}, 'The causes are unknown: ' + (a.features ? state.b : state.a)
          + ' has no counters from which its time could be divided.'),
      a.levels && b.levels ? ledger(data, a, b) : [],
      ratios(data, a, b), hot_lines(data), commands(),
    ].flat().filter(node => node);
  }

  // ---- what a reader does -------------------------------------------------------------------------

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
      if (other && !['points', 'rungs', 'causes', 'run', 'counter_names', 'lines', 'hot']
        .every(name => other[name])) throw new Error('no ladder');
      at('other').textContent = other ? `After: ${other.title}, ${other.run.device || 'unknown device'}, `
        + `${other.run.date || 'no date'}` : '';
      state.family_b = other ? other.family : state.family_a;
      state.b = state.a;
    } catch (_) {
      other = null;
      at('other').textContent = 'This is no file compare-LADDER.js of a report.';
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
