import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unpackBundle } from '../../kit/archives/bundle';
import { packFolder } from './pack-folder';

/** Ignore files, and files that they may or may not leave out. */
const IGNORE_FILES: Record<string, string> = {
  '.gitignore': [
    '# a comment', '', '*.log', '!keep.log', '/only-root.txt', 'build/', 'docs/*.md', '!docs/index.md', 'a/**/z',
    'tail/**', '**/deep.txt', 'b?r.txt', 'set-[a-c].txt', 'not-[!x].txt', '\\#hash', '\\!bang', 'spaced\\ ', 'cut   ',
    'exact.name', 'nested/inner/', '*.[oa]', 'dou**ble.txt', '[', 'x[]]y',
  ].join('\n'),
  'sub/.gitignore': '*.txt\n!yes.txt\n/bound\ninner/\n',
}; // prettier-ignore
const FILES = [
  'app.log', 'keep.log', 'sub/app.log', 'only-root.txt', 'other/only-root.txt', 'build/out.js', 'x/build/out.js',
  'x/y/build', 'docs/one.md', 'docs/index.md', 'docs/more/two.md', 'a/z', 'a/b/z', 'a/b/c/z', 'a/zz', 'tail/one',
  'tail/x/two', 'deep.txt', 'q/deep.txt', 'bar.txt', 'bbr.txt', 'br.txt', 'set-a.txt', 'set-d.txt', 'not-x.txt',
  'not-y.txt', '#hash', '!bang', 'spaced ', 'spaced', 'cut', 'exact.name', 'exactXname', 'nested/inner/f', 'inner/f',
  'lib.o', 'lib.c', 'double.txt', 'dou-x-ble.txt', 'sub/no.txt', 'sub/yes.txt', 'sub/q/no.txt', 'sub/bound',
  'sub/q/bound', 'sub/inner/f', 'x]y', '[', 'ünï.txt', `${'long/'.repeat(28)}name.js`,
]; // prettier-ignore

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'market-pack-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const byName = (paths: readonly string[]) => [...paths].sort();

it('packs exactly the files that git would track', async () => {
  write({ ...IGNORE_FILES, ...Object.fromEntries(FILES.map((path) => [path, path])) });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'core.excludesFile=', ...args], { cwd: folder, encoding: 'utf8' });
  git('init', '-q');
  const listed = git('ls-files', '-z', '--others', '--exclude-standard').split('\0').filter(Boolean);
  expect(listed.length).toBeGreaterThan(15);
  expect(listed.length).toBeLessThan(FILES.length);
  const { files, bytes } = await packFolder(folder);
  expect(byName(files.map(({ path }) => path))).toEqual(byName(listed));
  const unpacked = unpackBundle(bytes);
  if (!unpacked.ok) throw new Error(unpacked.msg);
  expect(byName(unpacked.files.map(({ path }) => path))).toEqual(byName(listed));
  for (const { path, bytes: content } of unpacked.files)
    expect(content.toString()).toBe(IGNORE_FILES[path] ?? path);
});

it('applies .marketignore last, and leaves secrets out unless it includes them', async () => {
  write({ '.gitignore': 'dist\n', '.marketignore': '!dist\n!test.pem\n*.md\n', 'dist/a.js': '', 'a.md': '' });
  write({
    '.env': '',
    '.env.local': '',
    '.env.example': '',
    'server.key': '',
    'test.pem': '',
    'node_modules/a': '',
  });
  const { files } = await packFolder(folder);
  expect(files.map(({ path }) => path)).toEqual([
    '.env.example',
    '.gitignore',
    '.marketignore',
    'dist/a.js',
    'test.pem',
  ]);
});

it('makes the same bytes of the same files, which the tar of this machine reads', async () => {
  write({ 'a.js': 'a', 'dir/b.js': 'b', [`${'d'.repeat(90)}/${'f'.repeat(90)}.js`]: 'c' });
  const first = await packFolder(folder);
  write({ 'a.js': 'a' });
  expect((await packFolder(folder)).bytes.equals(first.bytes)).toBe(true);
  const listed = execFileSync('tar', ['-tzf', '-'], { input: first.bytes, encoding: 'utf8' });
  expect(byName(listed.trim().split('\n'))).toEqual(byName(first.files.map(({ path }) => path)));
});

it('names the largest files when the folder is too large', async () => {
  write({ 'small.js': 'x', 'model.bin': 'x'.repeat(9 * 1024 * 1024) });
  await expect(packFolder(folder)).rejects.toThrow(/more than 8 MiB.*model\.bin \(9216 KiB\)/s);
});

it('refuses rules and folders that take very long to match', async () => {
  write({ [`${'a/'.repeat(30)}b.js`]: '', '.gitignore': '*.log\n' });
  expect((await packFolder(folder)).files).toHaveLength(2);
  write({ '.gitignore': `*.log\n${'**/a/'.repeat(12)}c\n` });
  await expect(packFolder(folder)).rejects.toThrow('more than 4 times **');
  write({ '.gitignore': `${'*a'.repeat(40)}b\n`, [`${'a'.repeat(200)}`]: '', [`${'x/'.repeat(40)}y`]: '' });
  await expect(packFolder(folder)).rejects.toThrow('deeper than 32 folders');
});

it('leaves out files that hold credentials, by name and by content, and reports them', async () => {
  write({
    'server.mjs': 'export {};',
    'session.txt': '# Netscape HTTP Cookie File\nmarket.example\tFALSE\t/\tTRUE\t0\tmarket_session\tx\n',
    '.netrc': 'machine market.example',
    '.npmrc': '//registry.example/:_authToken=secret\n',
    'sub/.npmrc': 'save-exact=true\n',
    'sub/deploy': '-----BEGIN OPENSSH PRIVATE KEY-----\nx\n',
    'sub/id_ed25519': 'x',
  });
  const { files, secrets } = await packFolder(folder);
  expect(files.map(({ path }) => path)).toEqual(['server.mjs', 'sub/.npmrc']);
  expect(byName(secrets)).toEqual(['.netrc', '.npmrc', 'session.txt', 'sub/deploy', 'sub/id_ed25519']);
});
