{{page ladder-:family.js SELECT family, title, coalesce(rate, 'bytes') AS rate FROM families f
  ORDER BY (SELECT count(*) FROM variants v WHERE v.family = f.family) DESC, family}}
whyfast.ladder({
family: {{family}}, title: {{title}}, rate: {{rate}},
sizes: {{each SELECT json_group_array(json_object('size', size, 'words', words, 'bytes', bytes,
  'operations', short_number(operations))) AS value FROM (SELECT * FROM place WHERE family = :family
  ORDER BY place = 1 DESC, bytes, size)}}
{{json value}}{{end}},
rungs: {{each SELECT json_group_array(json_object('variant', variant, 'key', key, 'title', title,
  'after', after, 'kind', kind, 'role', role, 'file', file, 'factors', factors, 'no_text', no_text)) AS value FROM (
  SELECT r.*, CASE WHEN kind = 'kernel' AND NOT EXISTS (SELECT 1 FROM source_state s WHERE s.path = r.file
    AND s.message IS NULL) THEN coalesce((SELECT message FROM source_state s WHERE s.path = r.file),
    'The run has no text of ' || r.file || CASE WHEN EXISTS (SELECT 1 FROM kernels k WHERE k.family = r.family
    AND k.variant = r.variant AND k.lines_status = 'ok') THEN ': no instruction of the kernel comes from that file, only from headers.'
    ELSE ': its lines were not counted.' END) END AS no_text
  FROM rungs r WHERE family = :family ORDER BY rung, variant)}}
{{json value}}{{end}},
/* The groups of causes, in the order of bars and legends. */
areas: {{each SELECT json_group_array(json_object('id', area, 'title', title)) AS value FROM (SELECT *
  FROM area ORDER BY place)}}{{json value}}{{end}},
/* Whether compare.html has this ladder. */
compares: {{each SELECT count(*) > 1 AS value FROM compare_rungs WHERE family = :family}}{{json value}}{{end}},
/* size: {variant: {ns, setting, percent of the peak and of the library's speed, bounds:
   [[kind, unit, percent of the time]], areas: {area: ns}}} */
times: {{each SELECT json_group_object(size, json(points)) AS value FROM (SELECT b.size,
  json_group_object(b.variant, json_patch('{}', json_object('ns', short_number(b.time_ns), 'setting', (SELECT setting_text(v.sweep_name, v.sweep_text, b.sweep) FROM variants v WHERE
  v.family = b.family AND v.variant = b.variant), 'peak', (SELECT words FROM peaks k
  WHERE k.family = b.family AND k.variant = b.variant AND k.size = b.size), 'library', (SELECT
  pct_text FROM library_ratios y WHERE y.family = b.family AND y.size = b.size AND y.variant =
  b.variant), 'bounds', (SELECT
  json_group_array(json_array(kind, title, pct_text, width)) FROM bounds o WHERE o.family = b.family AND
  o.variant = b.variant AND o.size = b.size HAVING count(*) > 0), 'areas', (SELECT json_group_object(area,
  short_number(ns)) FROM (SELECT * FROM area_time t WHERE t.family = b.family AND t.variant = b.variant AND t.size =
  b.size ORDER BY area) HAVING count(*) > 0)))) AS points
  FROM best b WHERE b.family = :family AND b.time_ns IS NOT NULL GROUP BY b.size)}}
{{json value}}{{end}},
/* size: {variant: what is said of the step (said.csv): ratio, verdict, direction, interval, note,
   sentence, half of the interval of each cause, causes, experiments (experiments.csv), remains}}. A
   cause has the columns of said.csv: a title only if it is not that of its id; `moved` and lines only of
   the main cause and those that are proved; its witness is [metric, before, after]. Causes that share the
   row `rest` are not listed. */
steps: {{each SELECT json_group_object(size, json(steps)) AS value FROM (SELECT s.size,
  json_group_object(s.variant, json_patch('{}', json_object('ratio', ratio_text(s.speedup_prev),
  'verdict', h.status, 'direction', h.direction, 'is_open', nullif(h.is_open, 0), 'note', h.note,
  'interval', CASE WHEN s.speedup_prev_low IS NOT NULL THEN printf('%.3f–%.3f', s.speedup_prev_low,
  s.speedup_prev_high) END, 'floor', CASE WHEN s.floor_pct IS NOT NULL THEN printf('%.1f %%',
  s.floor_pct) END, 'sentence', h.sentence, 'half_ns', (SELECT
  short_number((high_ns - low_ns) / 2) FROM said c WHERE c.family = s.family AND c.variant = s.variant
  AND c.size = s.size AND c.high_ns IS NOT NULL LIMIT 1),
  'causes', (SELECT json_group_array(json_patch('{}', json_object('id', c.id,
  'title', nullif(c.title, (SELECT k.title FROM cause k WHERE k.cause = c.id)), 'saved_ns', short_number(c.saved_ns), 'moved', iif(c.is_main OR c.proves, c.moved, NULL),
  'share', printf('%.1f %%', round(c.share_pct, 1) + 0.0), 'direction', nullif(c.direction, 0), 'main_moved', c.main_moved, 'is_main', nullif(c.is_main,
  0), 'proves', nullif(c.proves, 0), 'note', c.note, 'witness', (SELECT json_array(c.witness,
  short_number(c.witness_before), short_number(c.witness_after)) WHERE c.direction <> 0 AND
  c.witness_before IS NOT NULL AND c.witness_after IS NOT NULL), 'line_before', iif(c.proves, c.line_before, NULL),
  'line_after', iif(c.proves, c.line_after, NULL)))) FROM (SELECT * FROM said WHERE family = s.family AND variant = s.variant AND size =
  s.size AND place > 0 AND NOT is_small ORDER BY place) c),
  'experiments', (SELECT nullif(json_group_array(json_array(e.title, short_number(e.before_ns),
  short_number(e.after_ns), short_number(-e.saved_ns), coalesce(e.outcome, ''))), '[]') FROM (SELECT *
  FROM experiments WHERE family = s.family AND variant = s.variant AND size = s.size AND block = s.block
  AND after = s.after ORDER BY place) e),
  'bound', (SELECT printf('at most %s, for the hardware needs %s', time_text(b.time_ns -
  b.least_time_ns), time_text(b.least_time_ns)) || iif(b.least_time_ns > 1.001 * b.useful_bytes /
  b.dram_peak_gbs AND b.sm_clock_mhz > 0, printf(' at %.0f MHz', b.sm_clock_mhz), '') ||
  iif(b.tensor_operations_per_useful >= 1.9 AND (SELECT unit FROM families f WHERE f.family = b.family) = 'tensor_tf32', ', with one product in TF32 for each useful one', '') FROM best b WHERE b.family = s.family AND b.variant =
  s.variant AND b.size = s.size AND b.time_ns > b.least_time_ns),
  'remains', (SELECT json_group_array(json_patch('{}', json_object('id', m.cause, 'amount', m.amount,
  'aside', m.aside, 'unadvised', m.unadvised))) FROM (SELECT * FROM to_gain WHERE family = s.family AND variant = s.variant AND size = s.size ORDER BY place) m)))) AS steps FROM steps s JOIN said h USING (family, variant, size, block)
  WHERE s.family = :family AND h.place = 0 GROUP BY s.size)}}
{{json value}}{{end}},
/* name of a metric: {title, unit} */
metrics: {{each SELECT json_group_object(name, json_patch('{}', json_object('title', words, 'unit',
  unit))) AS value FROM (SELECT * FROM shown_metrics WHERE family = :family ORDER BY name)}}
{{json value}}{{end}},
/* id of a cause: {title, area, means, try} */
causes: {{each SELECT json_group_object(cause, json_object('title', title, 'area', area, 'means',
  means, 'try', try)) AS value FROM cause WHERE cause IN (SELECT
  id FROM said WHERE family = :family UNION SELECT cause FROM remains WHERE family =
  :family UNION SELECT knockout FROM experiments WHERE family = :family AND knockout = 'barriers_conflicts')}}
{{json value}}{{end}},
/* The names of the metrics that moved; each has its place here as its number. */
moved_names: {{each SELECT json_group_array(name) AS value FROM (SELECT DISTINCT name FROM moved
  WHERE family = :family ORDER BY name)}}{{json value}}{{end}},
/* size: {variant: {metric: [numbers], before: [values], after: [values], verdict: [1: better, -1: worse]}} */
moved: {{each SELECT json_group_object(size, json(variants)) AS value FROM (SELECT size,
  json_group_object(variant, json(moves)) AS variants FROM (SELECT size, variant,
  json_object('metric', json_group_array(number), 'before', json_group_array(short_number(before)),
  'after', json_group_array(short_number("after")), 'verdict',
  json_group_array((verdict = 'better') - (verdict = 'worse'))) AS moves FROM (SELECT *,
  dense_rank() OVER (ORDER BY name) - 1 AS number FROM moved WHERE family = :family)
  GROUP BY size, variant) GROUP BY size)}}
{{json value}}{{end}},
/* primary size: {metric: [its value for each rung]}, of the metrics that show causes */
counters: {{each SELECT json_group_object(size, json(metrics)) AS value FROM (SELECT size,
  json_group_object(name, json("values")) AS metrics FROM (SELECT size, name,
  json_group_array(value) AS "values" FROM (SELECT p.size, w.name, short_number(v.value, 9) AS value
  FROM place p JOIN rungs r USING (family) JOIN witness w JOIN shown_metrics s ON s.family = r.family AND
  s.name = w.name LEFT JOIN witness_values v ON (v.family, v.variant, v.size, v.place) = (r.family,
  r.variant, p.size, w.place) WHERE p.family = :family AND p.place = 1 ORDER BY p.size, w.place, r.rung, r.variant) GROUP BY
  size, name HAVING count(DISTINCT value) > 1) GROUP BY size)}}
{{json value}}{{end}},
/* path: text, of the rungs as far as the description of the variant, and of headers beside them and in kernels/, as
   far as the last line that a kernel runs: those of at most 16 and 8 kB, and those with a fifth of the instructions of a
   kernel */
sources: {{each WITH rung AS (SELECT *, rtrim(file, replace(file, '/', '')) AS folder FROM rungs
    WHERE family = :family AND kind = 'kernel'),
  ran AS (SELECT source, max(part) AS part, max(last) AS last FROM (SELECT l.source, max(l.line) AS last, 1.0 * sum(l.instructions) / sum(sum(l.instructions))
    OVER (PARTITION BY k.kernel) AS part FROM kernel_rows k JOIN line_rows l USING (kernel) WHERE k.family = :family
    GROUP BY k.kernel, l.source) GROUP BY source)
  SELECT json_group_object(path, substr(text, 1, coalesce(nullif(instr(text,
  'VARIANT_DEFINITION'), 0) - 1, length(text)))) AS value FROM (SELECT s.path AS path,
  (SELECT group_concat(text, char(10)) FROM (SELECT text FROM source_text t WHERE t.source =
  s.source AND (t.line <= ran.last + 2 OR ran.last IS NULL OR s.path NOT LIKE '%.h') ORDER BY line)) AS text, ran.part AS part, CASE WHEN s.path LIKE 'kernels/%/%' THEN 16000
  ELSE 8000 END AS most FROM source_state s
  LEFT JOIN ran USING (source) WHERE EXISTS (SELECT 1 FROM rung r WHERE s.path = r.file OR s.path LIKE r.folder || '%.h')
  OR s.path LIKE 'kernels/%.h' AND s.path NOT LIKE 'kernels/%/%' AND ran.part > 0)
  WHERE text IS NOT NULL AND (length(text) <= most OR part >= 0.2 OR path NOT LIKE '%.h')}}
{{json value}}{{end}},
/* variant: {path: the lines that its kernels have instructions of}, of rungs that are compared by them: those of
   which another has the same file, and those without a text of their own, with their neighbours */
runs: {{each WITH rung AS (SELECT *, NOT EXISTS (SELECT 1 FROM source_state s WHERE s.path = file AND s.message IS
  NULL) AS is_elsewhere FROM rungs WHERE family = :family AND kind = 'kernel'),
  pair AS (SELECT r.variant, a.variant AS after FROM rung r JOIN rung a ON a.variant = r.after WHERE r.file = a.file
    OR r.is_elsewhere OR a.is_elsewhere),
  ran AS (SELECT DISTINCT k.variant, s.path, CAST(x.line AS INTEGER) AS line FROM kernel_rows k JOIN lines l ON
    l.kernel = k.kernel JOIN line_chains i ON i.id = l.rowid JOIN line_locations x USING (chain) JOIN source_state s
    ON s.source = x.source WHERE k.family = :family AND s.message IS NULL AND k.variant IN (SELECT variant FROM pair UNION
    SELECT after FROM pair))
  SELECT json_group_object(variant, json(files)) AS value FROM (SELECT variant, json_group_object(path, lines) AS
  files FROM (SELECT variant, path, group_concat(line, ' ') AS lines FROM (SELECT * FROM ran ORDER BY variant, path,
  line) GROUP BY variant, path) GROUP BY variant)}}
{{json value}}{{end}}
});
