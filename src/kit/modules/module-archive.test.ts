import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ARCHIVE = resolve(__dirname, '../../../dist/kit/modules/module-archive.js');
const WRITTEN_AT = new Date('2026-01-01T00:00:00.250Z');

/** Modules of every kind, and what each lets its reader see of itself. */
const FILES: Record<string, string> = {
  'main.js': `#!/usr/bin/env node
    const a = require('./a');
    exports.self = [__filename, __dirname, module.id, require.main === module, typeof require.cache, this === exports];
    exports.all = [a.name, a.later(), require('./b.cjs'), require('./data'), require('pack'), require('pack/part')];
    exports.esm = require('esm').default;
    exports.resolved = [require.resolve('pack'), require.resolve('pack/part', { paths: [__dirname] })];
    exports.missing = (() => { try { require('./none'); } catch ({ code }) { return code; } })();
    exports.trace = (() => { try { a.fails(); } catch ({ stack }) { return stack.split('\\n')[1]; } })();
    exports.late = require('./late.js').name;`,
  'late.js': `module.exports = () => import('./late.mjs').then(({ late }) => late);`,
  'a.js': `exports.name = 'a1'; const c = require('./c'); exports.later = () => c.seen; exports.fails = () => { throw new Error('a'); };`,
  'b.cjs': `module.exports = 'b';`,
  'c.js': `exports.seen = require('./a').name;`,
  'data.json': `{"json": true}`,
  'late.mjs': `export const late = 'late';`,
  'node_modules/pack/package.json': `{"name": "pack", "exports": {".": "./lib/index.js", "./part": "./lib/part.js"}}`,
  'node_modules/pack/lib/index.js': `module.exports = 'pack';`,
  'node_modules/pack/lib/part.js': `module.exports = function part() {}.name;`,
  'node_modules/esm/package.json': `{"name": "esm", "type": "module", "exports": "./index.js"}`,
  'node_modules/esm/index.js': `export default 'esm';`,
};

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'market-modules-')));
  for (const [name, text] of Object.entries(FILES)) put(name, text);
  run(`const write = recordArchive(place); require('./main.js'); write();`);
});
afterAll(() => rmSync(root, { recursive: true }));

function put(name: string, text: string, at = WRITTEN_AT): void {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, at, at);
}

/** Runs code beside the modules in a process of its own. */
function run(code: string): string {
  const head = `const { recordArchive, useArchive } = require(${JSON.stringify(ARCHIVE)});
    const place = { root: __dirname, folder: __dirname };`;
  put('run.js', `${head}${code}`);
  return execFileSync(process.execPath, [join(root, 'run.js')], { encoding: 'utf8' });
}

const show = `const main = require('./main.js'); require('./late.js')().then((late) => console.log(JSON.stringify({ ...main, late })));`;
const plain = () => run(show);
const archived = () => run(`useArchive(place); ${show}`);
const name = (of: string) => (JSON.parse(of) as { all: string[] }).all[0];

it('loads modules that see and do what they do without the archive', () => {
  expect(JSON.parse(plain())).toMatchObject({
    all: ['a1', 'a1', 'b', { json: true }, 'pack', 'part'],
    esm: 'esm',
    late: 'late',
    missing: 'MODULE_NOT_FOUND',
    trace: expect.stringContaining(`${join(root, 'a.js')}:1:`) as unknown,
  });
  expect(archived()).toBe(plain());
});

it('serves a module of the archive, and a changed one from its file', () => {
  put('a.js', String(FILES['a.js']).replace('a1', 'a2'));
  // Its size and its time are those of the archive.
  expect([name(plain()), name(archived())]).toEqual(['a2', 'a1']);
  put('a.js', String(FILES['a.js']).replace('a1', 'a2'), new Date());
  expect(name(archived())).toBe('a2');
  put('a.js', String(FILES['a.js']));
});

it('gives modules back to Node, and closes the archive, when the entry point has loaded', () => {
  put('a.js', String(FILES['a.js']).replace('a1', 'a2'));
  const isOpen = `require('fs').existsSync('/proc/self/fd') && require('fs').readdirSync('/proc/self/fd').some((fd) => {
    try { return require('fs').readlinkSync('/proc/self/fd/' + fd).endsWith('.bin'); } catch { return false; }
  })`;
  const later = run(`useArchive(place); setImmediate(() => console.log(require('./a').name, ${isOpen}));`);
  expect(later).toBe('a2 false\n');
  put('a.js', String(FILES['a.js']));
});

it('does not use an archive of another version of Node, and none that is damaged', () => {
  put('a.js', String(FILES['a.js']).replace('a1', 'a2'));
  const index = readFileSync(join(root, 'modules.json'), 'utf8');
  for (const unfit of [
    index.replace(process.version, 'v20.0.0'),
    index.slice(0, -9),
    index.replace('.bin', '.gone'),
    '',
  ]) {
    put('modules.json', unfit);
    expect(name(archived())).toBe('a2');
  }
});
