// Computes why one rung is faster than another, as `whyfast explain A B` does: the model of time
// (harness/explain/time_model.c) and the comparison of two points (counterfactual.c), statement by
// statement. tests/golden/pages.sh compares the results with the tables of the program.
'use strict';

const whyfast_compare = (() => {
  // ---- the model of time ------------------------------------------------------------------------

  const inputs = ['issue', 'fma', 'alu', 'data', 'tensor', 'fixed', 'short', 'short_queue', 'long',
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
    const units = overlap(beside_data, x.data, x.tensor);
    const busy = overlap(beside_data, units, share(slots, few, x.warps, between_warps));
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

  // ---- two points -------------------------------------------------------------------------------

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

  // The time that each cause saves: rows {cause, within, saved_ns}, the interaction and the
  // residual last. A side is {time_ns, features: [[input, cause, value], ...]}; causes are
  // [{name, within}].
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

  // ---- the account of explain -------------------------------------------------------------------

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

  // ---- the data of a ladder ---------------------------------------------------------------------

  const ladders = new Map(); // by family: what add() was given

  function add(data) { ladders.set(data.family, data); }

  const causes_of = data => data.causes.map(([name, title, group, within, witness, costs]) =>
    ({name, title, group, within, witness, costs}));

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
