{{page compare-:family.js SELECT family, title FROM families f WHERE EXISTS (SELECT 1 FROM metrics m
  WHERE m.family = f.family AND m.best = 1 AND m.time_ns IS NOT NULL)}}
whyfast_compare.add({
"family": {{family}}, "title": {{title}},
"run": {{each SELECT json_object('device', (SELECT value FROM run WHERE key = 'device_name'),
  'date', substr((SELECT value FROM run WHERE key = 'date'), 1, 10),
  'replay', (SELECT value FROM run WHERE key = 'replay_of')) AS value}}{{json value}}{{end}},
"primary": {{each SELECT json_quote(size) AS value FROM (SELECT m.size FROM metrics m
  JOIN families f USING (family) WHERE m.family = :family GROUP BY m.size
  ORDER BY m.size = f.lines_size DESC, max(m.useful_bytes) DESC, m.size LIMIT 1)}}{{json value}}{{none}}null{{end}},
"causes": {{each SELECT json_group_array(json_array(cause, title, area, within, witness, costs))
  AS value FROM (SELECT * FROM cause ORDER BY place)}}{{json value}}{{end}},
"metrics": {{each SELECT json_group_object(name, json_array(coalesce(title, name), unit, better))
  AS value FROM (SELECT g.name, max(g.title) AS title, max(g.unit) AS unit, max(g.better) AS better
    FROM glossary g WHERE g.kind IN ('metric', 'fact', 'counter') AND g.name IN (SELECT witness FROM
    cause) GROUP BY g.name)}}{{json value}}{{end}},
"rungs": {{each SELECT json_group_array(json_array(variant, rung, title, kind, after)) AS value
  FROM (SELECT v.* FROM variants v WHERE v.family = :family AND EXISTS (SELECT 1 FROM metrics m WHERE
    m.family = v.family AND m.variant = v.variant AND m.best = 1 AND m.time_ns IS NOT NULL)
  ORDER BY v.rung, v.variant)}}{{json value}}{{end}},
"points": {{each SELECT json_group_object(variant || ' ' || size, json_array(block, sweep,
  json(printf('%.9g', time_ns)), iif(time_low_ns IS NULL, NULL, json(printf('%.9g', time_low_ns))),
  iif(time_high_ns IS NULL, NULL, json(printf('%.9g', time_high_ns))),
  iif(floor_pct IS NULL, NULL, json(printf('%.4g', floor_pct))))) AS value FROM (SELECT *, row_number() OVER (PARTITION BY variant, size
    ORDER BY time_ns, block) AS place FROM metrics WHERE family = :family AND best = 1 AND time_ns IS
    NOT NULL) WHERE place = 1}}{{json value}}{{end}},
"features": {{each SELECT json_group_object(key, json(list)) AS value FROM (SELECT x.variant || ' ' ||
    x.size || ' ' || x.block || ' ' || x.sweep AS key, json_group_array(json_array(x.input, k.number,
    json(printf('%.9g', x.value)))) AS list FROM features x JOIN (SELECT cause, row_number() OVER
    (ORDER BY place) - 1 AS number FROM cause) k USING (cause)
  WHERE x.family = :family GROUP BY 1)}}{{json value}}{{end}},
"levels": {{each SELECT json_group_object(key, json(list)) AS value FROM (SELECT l.variant || ' ' ||
    l.size || ' ' || l.block || ' ' || l.sweep AS key, json_group_array(json_array(k.number,
    json(printf('%.4g', l.ns)))) AS list FROM levels l JOIN (SELECT cause, row_number() OVER
    (ORDER BY place) - 1 AS number FROM cause) k USING (cause)
  WHERE l.family = :family AND l.ns <> 0 GROUP BY 1)}}{{json value}}{{end}},
"counter_names": ["warp_instructions", "predicated_on_pct", "warp_execution_efficiency_pct",
  "result_wait_cycles", "xu_instructions", "sass_shuffles", "stall_dispatch_stall",
  "fetch_wait_cycles", "barrier_wait_cycles", "shared_wavefronts", "shared_excess_wavefronts",
  "same_word_wavefronts", "l1_wavefronts", "shared_wait_cycles", "global_instructions",
  "global_excess_sectors", "store_excess_sectors", "global_wait_cycles", "l2_bytes", "dram_bytes",
  "dram_gbs", "achieved_occupancy_pct", "l2_atomic_cycles_busiest", "local_sectors",
  "sm_coverage_pct", "launches", "sm_clock_mhz"],
"counters": {{each SELECT json_group_object(variant || ' ' || size, json(list)) AS value FROM (
  SELECT variant, size, json_array(
    iif(warp_instructions IS NULL, NULL, json(printf('%.9g', warp_instructions))),
    iif(predicated_on_pct IS NULL, NULL, json(printf('%.9g', predicated_on_pct))),
    iif(warp_execution_efficiency_pct IS NULL, NULL, json(printf('%.9g', warp_execution_efficiency_pct))),
    iif(result_wait_cycles IS NULL, NULL, json(printf('%.9g', result_wait_cycles))),
    iif(xu_instructions IS NULL, NULL, json(printf('%.9g', xu_instructions))),
    iif(sass_shuffles IS NULL, NULL, json(printf('%.9g', sass_shuffles))),
    iif(stall_dispatch_stall IS NULL, NULL, json(printf('%.9g', stall_dispatch_stall))),
    iif(fetch_wait_cycles IS NULL, NULL, json(printf('%.9g', fetch_wait_cycles))),
    iif(barrier_wait_cycles IS NULL, NULL, json(printf('%.9g', barrier_wait_cycles))),
    iif(shared_wavefronts IS NULL, NULL, json(printf('%.9g', shared_wavefronts))),
    iif(shared_excess_wavefronts IS NULL, NULL, json(printf('%.9g', shared_excess_wavefronts))),
    iif(same_word_wavefronts IS NULL, NULL, json(printf('%.9g', same_word_wavefronts))),
    iif(l1_wavefronts IS NULL, NULL, json(printf('%.9g', l1_wavefronts))),
    iif(shared_wait_cycles IS NULL, NULL, json(printf('%.9g', shared_wait_cycles))),
    iif(global_instructions IS NULL, NULL, json(printf('%.9g', global_instructions))),
    iif(global_excess_sectors IS NULL, NULL, json(printf('%.9g', global_excess_sectors))),
    iif(store_excess_sectors IS NULL, NULL, json(printf('%.9g', store_excess_sectors))),
    iif(global_wait_cycles IS NULL, NULL, json(printf('%.9g', global_wait_cycles))),
    iif(l2_bytes IS NULL, NULL, json(printf('%.9g', l2_bytes))),
    iif(dram_bytes IS NULL, NULL, json(printf('%.9g', dram_bytes))),
    iif(dram_gbs IS NULL, NULL, json(printf('%.9g', dram_gbs))),
    iif(achieved_occupancy_pct IS NULL, NULL, json(printf('%.9g', achieved_occupancy_pct))),
    iif(l2_atomic_cycles_busiest IS NULL, NULL, json(printf('%.9g', l2_atomic_cycles_busiest))),
    iif(local_sectors IS NULL, NULL, json(printf('%.9g', local_sectors))),
    iif(sm_coverage_pct IS NULL, NULL, json(printf('%.9g', sm_coverage_pct))),
    iif(launches IS NULL, NULL, json(printf('%.9g', launches))),
    iif(sm_clock_mhz IS NULL, NULL, json(printf('%.9g', sm_clock_mhz)))) AS list,
    row_number() OVER (PARTITION BY variant, size ORDER BY time_ns, block) AS place
  FROM metrics WHERE family = :family AND best = 1 AND time_ns IS NOT NULL)
  WHERE place = 1}}{{json value}}{{end}},
"lines": {{each SELECT json_group_object(variant, json(list)) AS value FROM (SELECT variant,
    json_group_object(cause, path || ':' || line) AS list FROM cause_lines WHERE family = :family
    GROUP BY variant)}}{{json value}}{{end}},
"remains": {{each SELECT json_group_object(key, json(list)) AS value FROM (SELECT r.variant || ' ' ||
    r.size || ' ' || r.block || ' ' || r.sweep AS key, json_group_array(json_array(k.number,
    json(printf('%.5g', r.saved_ns)), json(printf('%.3g', r.share_pct)), r.later,
    iif(r.later_saved_ns IS NULL, NULL, json(printf('%.5g', r.later_saved_ns))))) AS list
  FROM (SELECT * FROM remains WHERE family = :family ORDER BY place) r JOIN (SELECT cause,
    row_number() OVER (ORDER BY place) - 1 AS number FROM cause) k USING (cause)
  GROUP BY 1)}}{{json value}}{{end}},
"hot": {{each SELECT json_group_object(variant, json(list)) AS value FROM (SELECT variant,
    json_group_array(json_array(at, text, json(printf('%.3g', share)), reason)) AS list FROM (
    SELECT k.variant, l.path || ':' || CAST(l.line AS INTEGER) AS at, trim(t.text) AS text,
      l.sample_pct AS share, l.reason, row_number() OVER (PARTITION BY k.variant ORDER BY
      l.sample_pct DESC) AS place
    FROM kernels k JOIN metrics m USING (family, variant, size, block, sweep, device)
      JOIN line_rows l ON l.kernel = k.kernel LEFT JOIN source_text t ON t.source = l.source
      AND t.line = l.line
    WHERE k.family = :family AND k.launch = 0 AND k.counts_status = 'ok' AND m.best = 1
      AND l.sample_pct >= 1 AND l.path IS NOT NULL) WHERE place <= 8 GROUP BY variant)}}{{json value}}{{end}}
});
