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
"metrics": {{each SELECT json_group_object(name, json_array(words, unit)) AS value FROM
  metric_words WHERE name IN (SELECT witness FROM cause)}}{{json value}}{{end}},
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
"counter_names": {{each SELECT json_group_array(name) AS value FROM (SELECT name FROM witness ORDER
  BY place)}}{{json value}}{{end}},
"counters": {{each SELECT json_group_object(variant || ' ' || size, json(list)) AS value FROM (
  SELECT m.variant, m.size, (SELECT json_group_array(short_number(value, 9)) FROM (SELECT w.value
      FROM witness_values w WHERE (w.family, w.variant, w.size, w.block, w.sweep, w.device)
        = (m.family, m.variant, m.size, m.block, m.sweep, m.device) ORDER BY w.place)) AS list,
    row_number() OVER (PARTITION BY m.variant, m.size ORDER BY m.time_ns, m.block) AS nth
  FROM metrics m WHERE m.family = :family AND m.best = 1 AND m.time_ns IS NOT NULL)
  WHERE nth = 1}}{{json value}}{{end}},
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
