{{page compare-:page.js SELECT family, size, words, family || '-' || size AS page FROM compare_sizes JOIN place
  USING (family, size)}}
/* The pairs of a ladder at another size than its primary one; the head of compare.js says what stands here. */
whyfast_compare.add({
"family": {{family}}, "size": {{size}}, "size_words": {{words}},
"times": {{each SELECT json_group_array(short_number(time_ns, 6)) AS value FROM (SELECT b.time_ns
  FROM compare_rungs c LEFT JOIN best b ON b.family = c.family AND b.variant = c.variant AND b.size = :size
  WHERE c.family = :family ORDER BY c.number)}}{{json value}}{{end}},
"pairs": {{each SELECT '[' || group_concat(json, ',' || char(10)) || ']' AS value FROM (
  SELECT json_array(a, b, verdict, short_number(speedup_prev, 7), short_number(speedup_prev_low, 7),
    short_number(speedup_prev_high, 7), short_number(floor_pct, 3), pieces, json(causes)) AS json
  FROM compare_pairs p WHERE family = :family AND size = :size ORDER BY a, b)}}
{{json value}}{{end}}
});
