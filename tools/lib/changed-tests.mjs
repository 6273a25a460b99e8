import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { root } from './prepare.mjs';

/**
 * Chooses the tests for `npm run test:changed`: unit tests that import a changed file, directly or not, and the tests
 * with a stack that are closest to the change. Every test with a market imports every service, so for those the import
 * graph alone says nothing: a test is close when it imports the changed file within two steps, or when its name shares
 * a word with the file's name or folder (`services/disputes/…` and `disputes-sides.test.ts`).
 */
/** Of the files together, as they take in a full run: about 20 s on two cores. */
const BUDGET_SECONDS = 40;
const NEAR = 2;
/** These files import everything; what imports them is not close to what they import. */
const HUBS = new Set(['src/container.ts', 'test/support/market.ts', 'test/support/scene.ts']);
/** Sources that tests run compiled: threads, workflow bundles and what those import, and the command line. */
const COMPILED = /^src\/(workflows|domain|cli|kit\/(schemas|tokens)|verification\/bundles)\//;
/** Words that too many files have in their names. */
const COMMON_WORDS = new Set([
  'src',
  'service',
  'create',
  'list',
  'test',
  'state',
  'run',
  'of',
  'and',
  'store',
]);

/** The files that differ from main, with those not committed yet. */
export function changedFiles() {
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  const main = ['origin/main', 'main'].find(
    (name) => git('branch', '--all', '--list', `*${name}`).length > 0,
  );
  const [base] = git('merge-base', main ?? 'HEAD', 'HEAD');
  const files = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
  return [...new Set(files)].filter((file) => existsSync(join(root, file)));
}

export const needsBuild = (files) =>
  files.some((file) => COMPILED.test(file)) || !existsSync(join(root, 'dist'));

/** Answers `{tests, leftOut}`: paths to run, and close tests that the budget leaves to `npm test`. */
export function testsFor(files) {
  const all = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src', 'test'], {
    cwd: root,
    encoding: 'utf8',
  });
  const sources = all.split('\n').filter((file) => file.endsWith('.ts') && existsSync(join(root, file)));
  const changed = files.filter((file) => /^(src|test)\//.test(file));
  const distances = distancesTo(changed, importersOf(sources));
  const words = new Set(changed.filter((file) => file.startsWith('src/')).flatMap(wordsOf));
  const own = sources.filter((file) => isTest(file) && changed.includes(file));
  const unit = sources.filter((file) => isUnit(file) && distances.has(file));
  const close = sources
    .filter((file) => isTest(file) && /^test\/(integration|workflow)\//.test(file) && !own.includes(file))
    .map((file) => ({ file, rank: rankOf(file, distances, words), seconds: secondsOf(file) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank || a.seconds - b.seconds);
  const always = [...new Set([...own, ...unit])];
  const spent = always.reduce((sum, file) => sum + secondsOf(file), 0);
  const fitting = withinBudget(close, BUDGET_SECONDS - spent);
  const chosen = always.length + fitting.length > 0 ? fitting : shortestOf(close);
  return {
    tests: [...always, ...chosen.map(({ file }) => file)],
    leftOut: close.length - chosen.length,
  };
}

/** The closest files that fit into so many seconds. */
function withinBudget(close, budget) {
  let left = budget;
  return close.filter(({ seconds }) => {
    const fits = seconds <= left;
    if (fits) left -= seconds;
    return fits;
  });
}

const shortestOf = (close) => [...close].sort((a, b) => a.seconds - b.seconds).slice(0, 1);

const isTest = (file) => file.endsWith('.test.ts');
const isUnit = (file) => isTest(file) && file.startsWith('src/');

function rankOf(file, distances, words) {
  const near = (distances.get(file) ?? Infinity) <= NEAR ? 1 : 0;
  const shared = namesOf(basename(file, '.test.ts')).filter((word) => words.has(word)).length;
  return near + shared;
}

function wordsOf(file) {
  const folders = dirname(file).split('/').slice(2);
  return [...folders, basename(file, '.ts')].flatMap(namesOf);
}

/** `dispute-cases` → `dispute`, `case`. */
function namesOf(name) {
  const words = name.split(/[-.]/).map((word) => word.replace(/(?<=..)s$/, ''));
  return words.filter((word) => !COMMON_WORDS.has(word));
}

function importersOf(sources) {
  const importers = new Map(sources.map((file) => [file, []]));
  for (const file of sources) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, path] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)) {
      const base = posix.join(posix.dirname(file), path.replace(/\.js$/, ''));
      const imported = [`${base}.ts`, `${base}/index.ts`].find((name) => importers.has(name));
      if (imported) importers.get(imported).push(file);
    }
  }
  return importers;
}

/** How many imports lie between each file and the nearest changed one, without ways through hubs. */
function distancesTo(changed, importers) {
  const distances = new Map(changed.map((file) => [file, 0]));
  const queue = [...distances.keys()];
  for (const file of queue) {
    if (HUBS.has(file) && distances.get(file) > 0) continue;
    for (const importer of importers.get(file) ?? []) {
      if (distances.has(importer)) continue;
      distances.set(importer, distances.get(file) + 1);
      queue.push(importer);
    }
  }
  return distances;
}

let durations;
function secondsOf(file) {
  durations ??= JSON.parse(readFileSync(join(root, 'test/support/jest/durations.json'), 'utf8'));
  return durations[file] ?? 8;
}
