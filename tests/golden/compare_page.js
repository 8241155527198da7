// Prints each cause of a step for which compare_model.js, on which compare.html is based, and the
// program disagree: node compare_page.js PAGES REPORT. The last line gives the number of steps
// compared.
'use strict';
const fs = require('fs'), path = require('path'), vm = require('vm');
const [pages, report] = process.argv.slice(2);
const compare = require(path.resolve(pages, 'compare_model.js'));

// Rows of a table as objects; cells hold no quotes but those around them.
function table(name) {
  const rows = fs.readFileSync(path.join(report, name + '.csv'), 'utf8').trimEnd().split('\n')
    .map(line => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(,|$)/g)].map(found => found[1]));
  return rows.slice(1).map(row => Object.fromEntries(rows[0].map((key, i) => [key, row[i]])));
}

for (const file of fs.readdirSync(report))
  if (/^compare-.*\.js$/.test(file))
    vm.runInNewContext(fs.readFileSync(path.join(report, file), 'utf8'),
      {whyfast_compare: compare});

const key = row => [row.family, row.variant, row.size, row.block, row.sweep].join(' ');
const grouped = rows => rows.reduce((groups, row) =>
  groups.set(key(row), [...groups.get(key(row)) || [], row]), new Map());
const causes = grouped(table('causes')), details = grouped(table('details'));
let steps = 0;
for (const step of table('steps')) {
  const data = compare.ladders.get(step.family);
  const before = compare.point_of(data, step.after, step.size);
  const after = compare.point_of(data, step.variant, step.size);
  // The page shows the fastest block size alone.
  if (!before || !after || String(after.block) !== step.block || String(before.block) !== step.block
      || String(after.sweep) !== step.sweep) continue;
  const found = compare.explain(before, after, compare.causes_of(data), step.evidence).causes || [];
  const list = (rows, name) => new Map(rows.filter(row =>
    Math.abs(row.saved_ns) > 1e-8 * before.time_ns).map(row => [row[name], row]));
  const check = (ours, theirs) => {
    for (const cause of new Set([...ours.keys(), ...theirs.keys()])) {
      const a = ours.get(cause), b = theirs.get(cause);
      const differs = Math.abs((a ? a.saved_ns : 0) - (b ? b.saved_ns : 0)) > 1e-6 * before.time_ns;
      if (differs || (a && b && b.status && (a.status !== b.status
          || (a.detail || '') !== b.detail)))
        console.log(key(step), cause, a && [a.saved_ns, a.status, a.detail].join(' '), '| program:',
          b && [b.saved_ns, b.status, b.detail].join(' '));
    }
  };
  steps++;
  check(list(found, 'cause'), list(causes.get(key(step)) || [], 'cause'));
  check(list(found.flatMap(row => row.details), 'cause'),
    list(details.get(key(step)) || [], 'detail'));
}
console.log(steps);
