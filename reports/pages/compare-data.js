{{page compare-:family.js SELECT family, f.title, p.size, p.words FROM families f
  JOIN place p USING (family) WHERE p.place = 1 AND family IN (SELECT family FROM compare_rungs)}}
/* The head of compare.js says what stands here. */
whyfast_compare.add({
"family": {{family}}, "title": {{title}}, "size": {{size}}, "size_words": {{words}},
"limits": {{each SELECT json_object('least_part', least_part, 'most_metrics', most_metrics) AS value
  FROM compare_limits}}{{json value}}{{end}},
"sizes": {{each SELECT json_group_array(json_array(size, words)) AS value FROM (SELECT size, words
  FROM compare_sizes JOIN place USING (family, size) WHERE family = :family ORDER BY
  compare_sizes.place DESC)}}{{json value}}{{end}},
"areas": {{each SELECT json_group_array(json_object('id', area, 'title', title)) AS value FROM (SELECT
  * FROM area ORDER BY place)}}{{json value}}{{end}},
"notes": {{each SELECT json_group_array(note) AS value
  FROM (SELECT * FROM compare_notes ORDER BY number)}}{{json value}}{{end}},
"verdicts": {{each SELECT json_group_array(evidence) AS value
  FROM (SELECT * FROM compare_verdicts ORDER BY number)}}{{json value}}{{end}},
"metrics": {{each SELECT json_group_array(json_object('name', c.name, 'words', m.words, 'unit',
  m.unit)) AS value FROM (SELECT * FROM compare_metrics WHERE family = :family ORDER BY number) c
  LEFT JOIN metric_words m USING (name)}}{{json value}}{{end}},
"causes": {{each SELECT json_group_array(json_object('id', id, 'title', title, 'area', area,
  'witness', witness)) AS value FROM (SELECT * FROM compare_causes WHERE family = :family
  ORDER BY number)}}{{json value}}{{end}},
"advice": {{each SELECT json_group_array(json_object('title', title, 'area', area, 'try', try)) AS value FROM
  (SELECT * FROM compare_advice WHERE family = :family ORDER BY number)}}{{json value}}{{end}},
"places": {{each SELECT json_group_array(CASE WHEN text IS NULL THEN json_array(at) ELSE
  json_array(at, text) END) AS value FROM (SELECT * FROM compare_places WHERE family = :family
  ORDER BY number)}}{{json value}}{{end}},
"phrases": {{each SELECT json_group_array(piece) AS value FROM (SELECT * FROM compare_phrases
  WHERE family = :family ORDER BY number)}}{{json value}}{{end}},
"rungs": {{each SELECT '[' || group_concat(json, ',' || char(10)) || ']' AS value FROM (
  SELECT json_object('variant', variant, 'key', r.key, 'name', r.name,
    'time_ns', short_number(b.time_ns, 6),
    'areas', (SELECT json_group_array(short_number(ns)) FROM (SELECT t.ns FROM area a LEFT JOIN
      area_time t ON t.area = a.area AND t.family = b.family AND t.variant = b.variant AND
      t.size = b.size ORDER BY a.place)),
    'values', (SELECT json_group_array(short_number(value)) FROM (SELECT v.value FROM
      compare_metrics m LEFT JOIN compare_values v ON v.family = m.family AND v.metric = m.metric
      AND v.rung = c.number WHERE m.family = c.family ORDER BY m.number)),
    'lines', (SELECT json_group_object(l.cause, (SELECT min(number) FROM compare_places p
      WHERE p.family = l.family AND p.at = l.at)) FROM compare_lines l
      WHERE l.family = c.family AND l.variant = c.variant),
    'remains', (SELECT json_group_array(json_array(g.number, m.amount, m.aside)) FROM (
        SELECT * FROM to_gain WHERE family = b.family AND variant = b.variant AND size = b.size
          AND block = b.block AND sweep = b.sweep ORDER BY place) m
        JOIN compare_advice g ON g.family = m.family AND g.cause = m.cause AND g.try IS m.try),
    'hot', (SELECT json_group_array(json_array(number, short_number(sample_pct, 3), reason)) FROM (
        SELECT h.*, p.number FROM compare_hot h JOIN compare_places p ON p.family = h.family
        AND p.at = h.at AND p.text IS h.text
        WHERE h.family = c.family AND h.variant = c.variant ORDER BY nth))) AS json
  FROM compare_rungs c JOIN rungs r USING (family, variant) JOIN best b USING (family, variant)
  WHERE c.family = :family AND b.size = :size ORDER BY c.number)}}
{{json value}}{{end}},
"start": {{each SELECT json_object('a', a, 'b', b) AS value FROM compare_pairs p
  LEFT JOIN steps s USING (family, variant, size, after) WHERE p.family = :family AND p.place = 1
  ORDER BY s.speedup_prev DESC, a, b LIMIT 1}}{{json value}}{{end}},
"pairs": {{each SELECT '[' || group_concat(json, ',' || char(10)) || ']' AS value FROM (
  SELECT json_array(a, b, verdict, short_number(speedup_prev, 7), short_number(speedup_prev_low, 7),
    short_number(speedup_prev_high, 7), short_number(floor_pct, 3), pieces, json(causes), (SELECT json_group_array(number) FROM (SELECT number FROM compare_moves v
      JOIN compare_metrics USING (family, metric)
      WHERE (v.family, v.a, v.b) = (p.family, p.a, p.b) ORDER BY nth) HAVING count(*) > 0), json(others)) AS json
  FROM compare_pairs p WHERE family = :family AND place = 1 ORDER BY a, b)}}
{{json value}}{{end}}
});
