// Prints faults of the changes of code that the pages of a report show: node changes.js REPORT [STEP]. Each
// step of each ladder is compared as its page does it, and the change of STEP is printed. The last line counts
// the steps, those with a change, those whose change lies in a function of a header, those of experiments, and of these the
// ones that show what their switches change.
'use strict';
const fs = require('fs'), path = require('path'), vm = require('vm');
const [report] = process.argv.slice(2);
const page = {addEventListener() {}, document: {querySelector: () => null}, setTimeout() {}};
const run = file => vm.runInNewContext(fs.readFileSync(path.join(report, file), 'utf8')
  + (file === 'whyfast.js' ? '\nthis.whyfast = whyfast;' : ''), page);
run('whyfast.js');
const counts = {steps: 0, changed: 0, helpers: 0, cells: 0, told: 0};
for (const file of fs.readdirSync(report).filter(name => /^ladder-.*\.js$/.test(name))) {
  run(file);
  const data = page.whyfast.ladders[file.slice('ladder-'.length, -'.js'.length)];
  for (const rung of data.rungs) {
    const was = data.rungs.find(({variant}) => variant === rung.after), by_runs = was && [was, rung].every(({variant}) => (data.runs || {})[variant]);
    if (!was || !by_runs && [was, rung].some(({file}) => data.sources[file] == null)) continue;
    const {a, b, rows, uses} = page.whyfast.change_of(was, rung, data);
    const lines = rows.filter(([kind]) => kind !== ' ').map(([, i, j]) => j == null ? a[i] : b[j]);
    const name = `${data.family}/${rung.variant}`;
    if (was.file === rung.file) {
      counts.cells++;
      counts.told += lines.length + uses.length > 0;
    } else {
      counts.steps++;
      counts.changed += lines.length > 0;
      counts.helpers += lines.some(line => line.helper);
    }
    for (const {text, file, number} of [...a, ...b, ...uses]) {
      if (/VARIANT_|^\s*\.(title|claims|suffers|changes|pays|after|plan)\b/.test(text))
        console.log(`${name}: ${text}`);
      if (data.sources[file].split('\n')[number - 1] !== text)
        console.log(`${name}: ${file}:${number} is not ${text}`);
    }
    if (process.argv[3] === name) {
      for (const {text, file} of lines) console.log(`${file} ${text}`);
      for (const {text, file} of uses) console.log(`uses ${file} ${text}`);
    }
  }
}
console.log(...Object.values(counts));
