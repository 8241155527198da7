{{page compare-:family.js SELECT family, f.title, p.size, p.words FROM families f
  JOIN place p USING (family) WHERE p.place = 1 AND family IN (SELECT family FROM compare_rungs)}}
/* The head of compare.js says what stands here. */
whyfast_compare.add({
"family": {{family}}, "title": {{title}}, "size": {{size}}, "size_words": {{words}},
"areas": {{each SELECT json_group_array(json_object('id', area, 'title', title)) AS value FROM (SELECT
  * FROM area ORDER BY place)}}{{json value}}{{end}},
"notes": {{each SELECT json_group_array(note) AS value
  FROM (SELECT * FROM compare_notes ORDER BY number)}}{{json value}}{{end}},
"verdicts": {{each SELECT json_group_array(evidence) AS value
  FROM (SELECT * FROM compare_verdicts ORDER BY number)}}{{json value}}{{end}},
"metrics": {{each SELECT json_group_array(json_object('name', c.name, 'words', m.words, 'unit',
  m.unit)) AS value FROM (SELECT * FROM compare_metrics ORDER BY number) c LEFT JOIN metric_words m
  USING (name)}}{{json value}}{{end}},
"causes": {{each SELECT json_group_array(json_object('id', id, 'title', title, 'area', area,
  'witness', witness)) AS value FROM (SELECT * FROM compare_causes WHERE family = :family
  ORDER BY number)}}{{json value}}{{end}},
"places": {{each SELECT json_group_array(at) AS value FROM (SELECT * FROM compare_places
  WHERE family = :family ORDER BY number)}}{{json value}}{{end}},
"rungs": {{each SELECT '[' || group_concat(json, ',' || char(10)) || ']' AS value FROM (
  SELECT json_object('variant', variant, 'key', r.key, 'name', r.name,
    'time_ns', short_number(b.time_ns, 6),
    'areas', (SELECT json_group_object(area, short_number(ns))
      FROM (SELECT k.area, sum(l.ns) AS ns FROM levels l JOIN cause k USING (cause)
      WHERE l.family = b.family AND l.variant = b.variant AND l.size = b.size AND l.block = b.block
        AND l.sweep = b.sweep GROUP BY k.area)),
    'values', (SELECT json_group_object(metric, short_number(value)) FROM compare_values
      WHERE family = c.family AND rung = c.number),
    'lines', (SELECT json_group_object(l.cause, p.number) FROM compare_lines l
      JOIN compare_places p USING (family, at) WHERE l.family = c.family AND l.variant = c.variant),
    'remains', (SELECT json_group_array(json_patch('{}', json_object('title', g.title, 'try', g.try,
        'bound', m.bound, 'saved_ns', short_number(m.saved_ns), 'share_pct', short_number(m.share_pct, 3),
        'later', m.later, 'later_saved_ns', short_number(m.later_saved_ns)))) FROM (
        SELECT * FROM remains WHERE family = b.family AND variant = b.variant AND size = b.size
          AND block = b.block AND sweep = b.sweep ORDER BY place) m
        JOIN cause g USING (cause)),
    'hot', (SELECT json_group_array(json_object('at', number, 'text', text, 'share_pct',
        short_number(sample_pct, 3), 'reason', reason)) FROM (SELECT h.*, p.number
        FROM compare_hot h JOIN compare_places p USING (family, at)
        WHERE h.family = c.family AND h.variant = c.variant ORDER BY nth))) AS json
  FROM compare_rungs c JOIN rungs r USING (family, variant) JOIN best b USING (family, variant)
  WHERE c.family = :family AND b.size = :size ORDER BY c.number)}}
{{json value}}{{end}},
"start": {{each SELECT json_object('a', a, 'b', b) AS value FROM compare_pairs p
  LEFT JOIN steps s USING (family, variant, size, after) WHERE p.family = :family
  ORDER BY s.speedup_prev DESC, a, b LIMIT 1}}{{json value}}{{end}},
"pairs": {{each SELECT '[' || group_concat(json, ',' || char(10)) || ']' AS value FROM (
  SELECT json_patch('{}', json_object('a', a, 'b', b, 'v', verdict,
    'r', short_number(speedup_prev, 5), 'l', short_number(speedup_prev_low, 5),
    'h', short_number(speedup_prev_high, 5), 'f', short_number(floor_pct, 3), 's', sentence,
    'c', json(causes), 'm', json(metrics))) AS json
  FROM compare_pairs LEFT JOIN compare_moved USING (family, a, b) WHERE family = :family
  ORDER BY a, b)}}
{{json value}}{{end}}
});
