import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `npm run guards` takes half an hour; this test keeps its table true in between. */
interface Guard {
  attack: string;
  guard: string;
  file: string;
  find: string;
  test: string;
  name?: string;
}

const ROOT = join(__dirname, '../..');
const textOf = (file: string) => (existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : '');
const guards = JSON.parse(textOf('tools/guards.json')) as Guard[];

it('finds each guard of tools/guards.json once in its file, and its test by name', () => {
  const stale = guards.filter(({ file, find, test, name = '' }) => {
    const isOnce = textOf(file).split(find).length === 2;
    return !isOnce || !new RegExp(name).test(textOf(test)) || textOf(test) === '';
  });
  expect(stale.map(({ attack, guard }) => `${attack}: ${guard}`)).toEqual([]);
});

it('finds as many guards in docs/threats.md as there are', () => {
  const page = textOf('docs/threats.md');
  expect(Number(/Each of these (\d+) guards/.exec(page)?.[1])).toBe(guards.length);
  const rows = page.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
  const missing = guards.filter(({ guard, test }) => {
    return !rows.some(([, , one, proof]) => one === guard && proof === `\`${test}\``);
  });
  expect(missing.map(({ guard, test }) => `${guard}: ${test}`)).toEqual([]);
});
