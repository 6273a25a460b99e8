/** Every worker thread is a row of one mechanism (ADR 0234). */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';

const ROOT = join(__dirname, '../..');
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => posix.join('src', file))
  .sort();

it('starts worker threads in one place only', () => {
  const starters = sources.filter((file) => /new Worker\(/.test(textOf(file)));
  expect(starters).toEqual(['src/kit/threads/worker-thread.ts']);
  const importers = sources.filter((file) => /from '[^']*\/worker-thread'/.test(textOf(file)));
  expect(importers).toEqual(['src/kit/threads/tenant-threads.ts']);
});

it('has a row for each worker script, and a line for each row in the list of kinds', () => {
  const page = textOf('docs/internals/queues.md');
  const rows = sources.flatMap((file) => {
    const text = textOf(file);
    return [...text.matchAll(/const (\w+): ThreadKind</g)].map(([, name = '']) => ({ file, name, text }));
  });
  expect(rows).toHaveLength(10);
  const unlisted = rows.filter(({ name }) => !page.includes(`| \`${name}\` in `));
  expect(unlisted.map(({ name }) => name)).toEqual([]);
  const workers = sources
    .filter((file) => /^serveJobs[<(]/m.test(textOf(file)))
    .map((file) => basename(file, '.ts'));
  const scripts = rows.flatMap(({ text }) => [...text.matchAll(/workerFile\(__dirname, '([\w-]+)\.js'\)/g)]);
  expect([...new Set(scripts.map(([, name]) => name))].sort()).toEqual([...new Set(workers)].sort());
});
