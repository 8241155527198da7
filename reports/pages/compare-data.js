{{page compare-:family.js SELECT family, title FROM families f WHERE EXISTS (SELECT 1 FROM metrics m
  WHERE m.family = f.family AND m.best = 1 AND m.time_ns IS NOT NULL)}}
whyfast_compare.add({
"family": {{family}}, "title": {{title}},
"run": {{each SELECT json_object('device', (SELECT value FROM run WHERE key = 'device_name'),
  'date', substr((SELECT value FROM run WHERE key = 'date'), 1, 10),
  'replay', (SELECT value FROM run WHERE key = 'replay_of')) AS value}}{{json value}}{{end}},
"primary": {{each SELECT json_quote(size) AS value FROM (SELECT m.size FROM metrics m
  JOIN families f USING (family) WHERE m.family = :family GROUP BY m.size
  ORDER BY m.size = f.lines_size DESC, max(m.useful_bytes) DESC, m.size
  LIMIT 1)}}{{json value}}{{none}}null{{end}},
"causes": {{each SELECT json_group_array(json_array(cause, title, part, within, witness, costs))
  AS value FROM (SELECT c.cause, c.title, g.part, c.within, c.witness, c.costs FROM cause c
  JOIN cause_group g USING (cause) ORDER BY g.number)}}{{json value}}{{end}},
"metrics": {{each SELECT json_group_object(name, json_array(coalesce(title, name), unit, better))
  AS value FROM (SELECT g.name, max(g.title) AS title, max(g.unit) AS unit, max(g.better) AS better
    FROM glossary g WHERE g.kind IN ('metric', 'fact', 'counter') AND g.name IN (SELECT witness FROM
    cause) GROUP BY g.name)}}{{json value}}{{end}},
"rungs": {{each SELECT json_group_array(json_array(variant, rung, title, kind, after)) AS value
  FROM (SELECT v.* FROM variants v WHERE v.family = :family AND EXISTS (SELECT 1 FROM metrics m
    WHERE m.family = v.family AND m.variant = v.variant AND m.best = 1 AND m.time_ns IS NOT NULL)
  ORDER BY v.rung, v.variant)}}{{json value}}{{end}},
"points": {{each SELECT json_group_object(variant || ' ' || size, json_array(block, sweep,
  short_number(time_ns, 9), short_number(time_low_ns, 9), short_number(time_high_ns, 9),
  short_number(floor_pct))) AS value FROM (SELECT *, row_number() OVER (PARTITION BY variant, size
    ORDER BY time_ns, block) AS place FROM metrics WHERE family = :family AND best = 1 AND time_ns
    IS NOT NULL) WHERE place = 1}}{{json value}}{{end}},
"features": {{each SELECT json_group_object(key, json(list)) AS value FROM (SELECT x.variant || ' '
    || x.size || ' ' || x.block || ' ' || x.sweep AS key, json_group_array(json_array(x.input,
    k.number, short_number(x.value, 9))) AS list FROM features x JOIN cause_group k USING (cause)
  WHERE x.family = :family GROUP BY 1)}}{{json value}}{{end}},
"levels": {{each SELECT json_group_object(key, json(list)) AS value FROM (SELECT l.variant || ' ' ||
    l.size || ' ' || l.block || ' ' || l.sweep AS key, json_group_array(json_array(k.number,
    short_number(l.ns))) AS list FROM levels l JOIN cause_group k USING (cause)
  WHERE l.family = :family AND l.ns <> 0 GROUP BY 1)}}{{json value}}{{end}},
"counter_names": ["warp_instructions", "predicated_on_pct", "warp_execution_efficiency_pct",
  "result_wait_cycles", "xu_instructions", "sass_shuffles", "stall_dispatch_stall",
  "fetch_wait_cycles", "barrier_wait_cycles", "shared_wavefronts", "shared_excess_wavefronts",
  "same_word_wavefronts", "l1_wavefronts", "shared_wait_cycles", "global_instructions",
  "global_excess_sectors", "store_excess_sectors", "global_wait_cycles", "l2_bytes", "dram_bytes",
  "dram_gbs", "achieved_occupancy_pct", "l2_atomic_cycles_busiest", "local_sectors",
  "sm_coverage_pct", "launches", "sm_clock_mhz"],
"counters": {{each SELECT json_group_object(variant || ' ' || size, json(list)) AS value FROM (
  SELECT variant, size, json_array(short_number(warp_instructions, 9),
    short_number(predicated_on_pct, 9), short_number(warp_execution_efficiency_pct, 9),
    short_number(result_wait_cycles, 9), short_number(xu_instructions, 9),
    short_number(sass_shuffles, 9), short_number(stall_dispatch_stall, 9),
    short_number(fetch_wait_cycles, 9), short_number(barrier_wait_cycles, 9),
    short_number(shared_wavefronts, 9), short_number(shared_excess_wavefronts, 9),
    short_number(same_word_wavefronts, 9), short_number(l1_wavefronts, 9),
    short_number(shared_wait_cycles, 9), short_number(global_instructions, 9),
    short_number(global_excess_sectors, 9), short_number(store_excess_sectors, 9),
    short_number(global_wait_cycles, 9), short_number(l2_bytes, 9), short_number(dram_bytes, 9),
    short_number(dram_gbs, 9), short_number(achieved_occupancy_pct, 9),
    short_number(l2_atomic_cycles_busiest, 9), short_number(local_sectors, 9),
    short_number(sm_coverage_pct, 9), short_number(launches, 9), short_number(sm_clock_mhz, 9))
    AS list, row_number() OVER (PARTITION BY variant, size ORDER BY time_ns, block) AS place
  FROM metrics WHERE family = :family AND best = 1 AND time_ns IS NOT NULL)
  WHERE place = 1}}{{json value}}{{end}},
"lines": {{each SELECT json_group_object(variant, json(list)) AS value FROM (SELECT variant,
    json_group_object(cause, path || ':' || line) AS list FROM cause_lines WHERE family = :family
    GROUP BY variant)}}{{json value}}{{end}},
"remains": {{each SELECT json_group_object(key, json(list)) AS value FROM (SELECT r.variant || ' '
    || r.size || ' ' || r.block || ' ' || r.sweep AS key, json_group_array(json_array(k.number,
    short_number(r.saved_ns), short_number(r.share_pct), r.later, short_number(r.later_saved_ns)))
    AS list FROM (SELECT * FROM remains WHERE family = :family ORDER BY place) r
  JOIN cause_group k USING (cause) GROUP BY 1)}}{{json value}}{{end}},
"hot": {{each SELECT json_group_object(variant, json(list)) AS value FROM (SELECT variant,
    json_group_array(json_array(at, text, short_number(share, 3), reason)) AS list FROM (
    SELECT k.variant, l.path || ':' || CAST(l.line AS INTEGER) AS at, trim(t.text) AS text,
      l.sample_pct AS share, l.reason, row_number() OVER (PARTITION BY k.variant ORDER BY
      l.sample_pct DESC) AS place
    FROM kernels k JOIN metrics m USING (family, variant, size, block, sweep, device)
      JOIN line_rows l ON l.kernel = k.kernel LEFT JOIN source_text t ON t.source = l.source
      AND t.line = l.line
    WHERE k.family = :family AND k.launch = 0 AND k.counts_status = 'ok' AND m.best = 1
      AND l.sample_pct >= 1 AND l.path IS NOT NULL) WHERE place <= 8
    GROUP BY variant)}}{{json value}}{{end}}
});
