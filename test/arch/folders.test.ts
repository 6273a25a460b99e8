/**
 * The limit of CONTRIBUTING.md: a folder of src has at most 18 files without tests, and a room of the tests at most 18
 * files.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const SRC = join(__dirname, '../../src');
const MOST = 18;
/** Layers with one file for each resource, workflow or verb stay flat. */
const FLAT = ['contract', 'api/routes', 'cli/verbs', 'workflows', 'activities', 'engine'];

it('has at most 18 files in each folder', () => {
  const counts = new Map<string, number>();
  for (const entry of readdirSync(SRC, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts') || entry.name.endsWith('.test.ts')) continue;
    const folder = entry.parentPath.slice(SRC.length + 1);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect(counts.size).toBeGreaterThan(60);
  expect([...counts].filter(([folder, files]) => files > MOST && !FLAT.includes(folder))).toEqual([]);
});

it.each(['integration', 'support'])('has at most 18 files in each room of test/%s', (part) => {
  const root = join(__dirname, '..', part);
  const folders = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const rooms = folders.map((folder) => join(folder.parentPath, folder.name));
  const filesIn = (room: string) =>
    readdirSync(room, { withFileTypes: true }).filter((entry) => entry.isFile());
  expect(rooms.length).toBeGreaterThan(10);
  expect([root, ...rooms].filter((room) => filesIn(room).length > MOST)).toEqual([]);
  if (part === 'integration') expect(filesIn(root)).toEqual([]);
});

it('keeps no file in the repository that .gitignore leaves out, such as the output of a build', () => {
  const git = (...more: string[]) =>
    execFileSync('git', ['ls-files', ...more], { cwd: join(__dirname, '../..') }).toString();
  expect(git('--cached', '--', '.gitignore')).toBe('.gitignore\n');
  expect(git('--cached', '--ignored', '--exclude-standard')).toBe('');
});
