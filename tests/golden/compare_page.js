// Prints what the data of compare.html and 'whyfast explain A B' say differently of a pair: node
// compare_page.js REPORT PROGRAM. All steps of reduce are compared, some of them in reverse, and in
// every ladder the last rung with two others, at each size; it is a library, if the ladder has one. The last line gives the number of
// pairs compared, of those in reverse, of those with a library, and of ladders.
'use strict';
const fs = require('fs'), path = require('path'), {execFileSync} = require('child_process');
const [report, program] = process.argv.slice(2);

const files = fs.readdirSync(report).filter(file => /^compare-.*\.js$/.test(file)).map(file =>
  JSON.parse(/whyfast_compare\.add\(([\s\S]*)\);\s*$/.exec(
    fs.readFileSync(path.join(report, file), 'utf8'))[1]));
// A file of another size has the rest of its ladder's file.
const ladders = files.filter(({rungs}) => rungs);
const sized = files.filter(({rungs}) => !rungs).map(data =>
  ({...ladders.find(({family}) => family === data.family), ...data}));

// The steps of a ladder that are pairs of its page, as places of rungs.
function steps_of({family, size, rungs}) {
  const [head, ...rows] = fs.readFileSync(path.join(report, 'steps.csv'), 'utf8').trimEnd()
    .split('\n').map(line => line.split(','));
  const cell = (row, name) => row[head.indexOf(name)];
  const place = name => rungs.findIndex(({variant}) => variant === name);
  return rows.filter(row => cell(row, 'family') === family && cell(row, 'size') === size)
    .map(row => [place(cell(row, 'after')), place(cell(row, 'variant'))])
    .filter(([a, b]) => a >= 0 && b >= 0);
}

const near = (a, b, digits) => a === b || a != null && b != null
  && Math.abs(a - b) <= 0.6 * 10 ** (1 - digits) * Math.max(Math.abs(a), Math.abs(b));
let unlike = [];
const check = (name, ours, theirs, same) => {
  if (!same) unlike.push(`${name} ${ours}, not ${theirs}`);
};

// The page lists the causes that explain lists, in its order, and the small ones together.
function check_causes(data, rows, said) {
  const listed = said.causes.filter(cause => !cause.is_small);
  const small = said.causes.filter(cause => cause.is_small);
  const is_rest = ([cause]) => data.causes[cause].id === 'rest';
  const rest = rows.find(is_rest), shown = rows.filter(row => !is_rest(row));
  check('the number of causes is', shown.length, listed.length, shown.length === listed.length);
  shown.forEach(([c, s, p, d,, n], i) => {
    const {id, title} = data.causes[c], cause = listed[i] || {};
    check(`${title}: is`, id, cause.cause, id === cause.cause);
    check(`${title}: titled`, title, cause.title, title === cause.title);
    check(`${title}: saves`, s, cause.saved_ns, near(s, cause.saved_ns, 4));
    check(`${title}: share`, p, cause.share_pct, near(p, cause.share_pct, 3));
    check(`${title}: direction`, d, cause.direction, d === cause.direction);
    check(`${title}: note`, data.notes[n], cause.note, (data.notes[n] || null) === cause.note);
  });
  const sum = small.reduce((total, cause) => total + cause.saved_ns, 0);
  check('smaller causes save', rest && rest[1], sum, rest
    ? Math.abs(rest[1] - sum) <= 1e-3 * Math.abs(sum) + 1e-6 * said.before.time_ns : !small.length);
}

function compare(data, a, b) {
  const pair_of = (first, second) => data.pairs.find(pair => pair[0] === first && pair[1] === second);
  const [before, after] = [a, b].map(place => `${data.family}/${data.rungs[place].variant}`);
  const [,, verdict, speedup, low, high, floor, words, causes] = pair_of(a, b);
  const said = JSON.parse(execFileSync(program,
    ['explain', report, before, after, '-s', data.size, '--json'], {encoding: 'utf8'}));
  unlike = [];
  const rows = causes || (pair_of(b, a)[8] || []).map(([cause, saved, share, sure, ...rest]) =>
    [cause, -saved, share, -sure || 0, ...rest]);
  const sentence = words.split('|').map((piece, i) => i % 2 ? data.phrases[piece] : piece).join('');
  check('the verdict is', data.verdicts[verdict], said.verdict,
    data.verdicts[verdict] === said.verdict);
  check('the sentence is', sentence, said.sentence, sentence === said.sentence);
  for (const [name, ours, digits] of [['speedup', speedup, 7], ['low', low, 7],
    ['high', high, 7], ['floor_pct', floor, 3]])
    check(name + ' is', ours, said[name], near(ours, said[name], digits));
  check_causes(data, rows, said);
  for (const words of unlike) console.log(`${before} ${after}: ${words}`);
}

const count = {pairs: 0, reverse: 0, library: 0};
for (const data of sized) {
  const last = data.rungs.length - 1;
  for (const [a, b] of [[0, last], [last, last >> 1]])
    if (data.pairs.some(pair => pair[0] === a && pair[1] === b)) compare(data, a, b);
}
for (const data of ladders) {
  const last = data.rungs.length - 1, steps = steps_of(data), wanted = new Map();
  const want = (a, b) => a !== b && wanted.set(a + ' ' + b, [a, b]);
  if (data.pairs.length !== last * (last + 1))
    console.log(`${data.family}: ${data.pairs.length} pairs of ${last + 1} rungs`);
  if (data.family === 'reduce') {
    steps.forEach(([a, b]) => want(a, b));
    steps.filter((_, i) => i % 4 === 0).forEach(([a, b]) => want(b, a));
  }
  want(last, 0);
  want(last >> 1, last);
  for (const [a, b] of wanted.values()) {
    compare(data, a, b);
    count.pairs++;
    count.reverse += b < a;
    count.library += [a, b].some(place => /^9/.test(data.rungs[place].variant));
  }
}
console.log(count.pairs, count.reverse, count.library, ladders.length);
