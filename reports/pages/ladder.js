{{page ladder-:family.js SELECT family, title, coalesce(rate, 'bytes') AS rate FROM families f
  ORDER BY (SELECT count(*) FROM variants v WHERE v.family = f.family) DESC, family}}
whyfast.ladder({
family: {{family}}, title: {{title}}, rate: {{rate}},
sizes: {{each SELECT json_group_array(json_object('size', size, 'words', words, 'bytes', bytes,
  'operations', short_number(operations))) AS value FROM (SELECT * FROM place WHERE family = :family
  ORDER BY place = 1 DESC, bytes, size)}}
{{json value}}{{end}},
rungs: {{each SELECT json_group_array(json_object('variant', variant, 'key', key, 'rung', rung,
  'title', title, 'after', after, 'kind', kind, 'file', file, 'setting', sweep_name, 'suffers',
  suffers, 'changes', changes, 'pays', pays, 'fails', fails)) AS value FROM (SELECT * FROM rungs
  WHERE family = :family ORDER BY rung, variant)}}
{{json value}}{{end}},
/* size: {variant: [time in ns, its 95 % interval, share of the peak in %, speed over the library's,
   setting, limiter, [time in ns by group of causes]]} */
times: {{each SELECT json_group_object(size, json(points)) AS value FROM (SELECT b.size,
  json_group_object(b.variant, json_array(short_number(b.time_ns), short_number(b.time_low_ns),
  short_number(b.time_high_ns), short_number(CASE :rate WHEN 'operations' THEN b.tflops_pct_peak
  ELSE b.effective_pct_peak END), short_number(b.speedup_library), nullif(b.sweep, 0),
  (SELECT d.resource FROM demands d WHERE d.family = b.family AND d.variant = b.variant AND
  d.size = b.size AND d.rank = 1 ORDER BY d.pct DESC LIMIT 1), (SELECT
  json_array(short_number(sum(l.ns * (g.part = 0))), short_number(sum(l.ns * (g.part = 1))),
  short_number(sum(l.ns * (g.part = 2))), short_number(sum(l.ns * (g.part = 3))),
  short_number(sum(l.ns * (g.part = 4))), short_number(sum(l.ns * (g.part = 5))),
  short_number(sum(l.ns * (g.part = 6)))) FROM levels l JOIN cause_group g USING (cause) WHERE
  l.family = b.family AND l.variant = b.variant AND l.size = b.size HAVING count(*) > 0))) AS points
  FROM best b WHERE b.family = :family AND b.time_ns IS NOT NULL GROUP BY b.size)}}
{{json value}}{{end}},
/* size: {variant: {speedup: [ratio, its interval, noise floor in %], evidence, headline, causes,
   remains}}; causes: [title, group, ns saved, its interval, share in %, status, witness, before,
   after, and if it is resolved line before, line after, and its leading part with what that alone
   saved, unless that is the title] */
steps: {{each SELECT json_group_object(size, json(steps)) AS value FROM (SELECT s.size,
  json_group_object(s.variant, json_object('after', s.after, 'speedup',
  json_array(short_number(s.speedup_prev), short_number(s.speedup_prev_low),
  short_number(s.speedup_prev_high), short_number(s.floor_pct)), 'evidence', s.evidence, 'headline',
  (SELECT h.headline FROM headlines h WHERE h.family = s.family AND h.variant = s.variant AND h.size
  = s.size), 'causes', (SELECT json_group_array(json_array(c.title, c.part, short_number(c.saved_ns),
  short_number(c.low_ns), short_number(c.high_ns), short_number(c.share_pct), c.status, (SELECT
  number FROM shown_metrics w WHERE w.family = c.family AND w.name = c.witness),
  short_number(c.witness_before), short_number(c.witness_after), CASE c.status WHEN 'resolved' THEN
  c.line_before END, CASE c.status WHEN 'resolved' THEN c.line_after END, CASE c.status WHEN
  'resolved' THEN c.lead END, CASE c.status WHEN 'resolved' THEN short_number(c.lead_ns) END)) FROM
  (SELECT * FROM cause_rows WHERE family = s.family AND variant = s.variant AND size = s.size ORDER
  BY place) c WHERE c.saved_ns <> 0), 'remains', (SELECT json_group_array(json_array(g.title, g.part, short_number(m.saved_ns),
  short_number(m.share_pct), m.later, short_number(m.later_saved_ns))) FROM (SELECT * FROM remains
  WHERE family = s.family AND variant = s.variant AND size = s.size ORDER BY place) m JOIN
  cause_group g USING (cause)))) AS steps FROM steps s WHERE s.family = :family GROUP BY
  s.size)}}
{{json value}}{{end}},
/* [[name of a metric, title, unit]]; `moved` and the witnesses of causes are places in it */
metrics: {{each SELECT json_group_array(json_array(name, words, unit)) AS value FROM (SELECT * FROM
  shown_metrics WHERE family = :family ORDER BY number)}}
{{json value}}{{end}},
/* title of a cause: what it contains */
means: {{each SELECT json_group_object(title, means) AS value FROM cause WHERE cause IN (SELECT
  coalesce(detail, cause) FROM causes WHERE family = :family UNION SELECT cause FROM causes WHERE
  family = :family UNION SELECT cause FROM remains WHERE family = :family)}}
{{json value}}{{end}},
/* size: {variant: [[metric, before, after, verdict]]} */
moved: {{each SELECT json_group_object(size, json(variants)) AS value FROM (SELECT size,
  json_group_object(variant, json(moves)) AS variants FROM (SELECT size, variant,
  json_group_array(json_array((SELECT number FROM shown_metrics n WHERE n.family = f.family AND n.name
  = f.name), short_number(before), short_number("after"), verdict)) AS moves FROM findings f WHERE family = :family AND kind = 'moved' GROUP BY size, variant) GROUP BY
  size)}}
{{json value}}{{end}},
/* variant: [[rule, size, finding, advice, source]] */
findings: {{each SELECT json_group_object(variant, json(texts)) AS value FROM (SELECT variant,
  json_group_array(json_array(name, size, text, advice, see)) AS texts FROM findings JOIN place USING
  (family, size) WHERE family = :family AND kind = 'rule' AND verdict = 'applies' AND place = 1 GROUP
  BY variant)}}
{{json value}}{{end}},
/* path: text */
sources: {{each SELECT json_group_object(path, text) AS value FROM (SELECT s.path AS path,
  (SELECT group_concat(text, char(10)) FROM (SELECT text FROM source_text t WHERE t.source =
  s.source ORDER BY line)) AS text FROM source_state s WHERE s.path IN (SELECT file FROM rungs WHERE
  family = :family)) WHERE text IS NOT NULL}}
{{json value}}{{end}}
});
