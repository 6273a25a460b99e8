/**
 * Temporal's UI shows a summary and details of each workflow, which are set where it is started
 * (docs/operators/temporal.md).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SRC = join(__dirname, '../../src');
const read = (path: string) => readFileSync(join(SRC, path), 'utf8');
const files = ['engine', 'workflows'].flatMap((folder) =>
  readdirSync(join(SRC, folder))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => ({ name: `${folder}/${name}`, text: read(`${folder}/${name}`) })),
);
const named = ['workflows/index.ts', 'workflows/invocations.ts'].flatMap((path) =>
  [...read(path).matchAll(/export \{ ([\w, ]+) \}/g)].flatMap(([, names = '']) => names.split(', ')),
);
const types = [...new Set(named)];
/** A workflow shows details by `show` or by a function of its own that is named after it. */
const SHOWS = /\bshow(?:[A-Z]\w*)?\(/;
const count = (text: string, word: string) => text.split(word).length - 1;

it.each(types)('%s has a summary and details where it is started', (type) => {
  const starters = files.filter(({ text }) => new RegExp(`'${type}'|executeChild\\(${type}\\b`).test(text));
  expect(starters.length).toBeGreaterThan(0);
  for (const { name, text } of starters) {
    const [summaries, details] = [count(text, 'staticSummary: '), count(text, 'staticDetails: ')];
    expect({ name, summaries }).toEqual({ name, summaries: details });
    expect(details).toBeGreaterThan(0);
  }
});

it.each(types)('%s shows its current step on its page', (type) => {
  const [file] = files.filter(({ text }) => text.includes(`export async function ${type}(`));
  expect(file?.text).toMatch(SHOWS);
});
