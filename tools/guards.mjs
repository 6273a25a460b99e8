/**
 * `npm run guards [-- words]`: proves that the tests of docs/threats.md need their guards. For each guard of
 * `guards.json` (those whose attack, guard or test contains the words), removes the guard in a copy of the repository,
 * runs its test, and expects it to fail. Fails if a test passes without its guard.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { hashFolders, recordCompiled } from '../src/runtime/base/compiled.cjs';

const ROOT = resolve(import.meta.dirname, '..');
/** A failed test may print a body of half a million values. */
const MOST_OUTPUT = 256 * 1024 * 1024;
const words = process.argv.slice(2).join(' ');
const guards = JSON.parse(readFileSync(join(ROOT, 'tools/guards.json'), 'utf8')).filter(
  ({ attack, guard, test }) => `${attack} ${guard} ${test}`.includes(words),
);

/** Threads run compiled code, so a changed file is compiled, too. */
function writeBoth(copy, file, text) {
  writeFileSync(join(copy, file), text);
  const compiled = join(copy, file.replace(/^src\//, 'dist/').replace(/\.ts$/, '.js'));
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      esModuleInterop: true,
    },
  });
  mkdirSync(dirname(compiled), { recursive: true });
  writeFileSync(compiled, outputText);
  recordCompiled(copy, hashFolders(copy));
}

function without(text, { file, find, replace }) {
  if (text.split(find).length !== 2) throw new Error(`${file} must contain once: ${find}`);
  return text.replace(find, () => replace);
}

/** Runs the test of a guard. Returns the number of tests that failed; undefined if none ran. */
function failuresOf(copy, { test, name }) {
  const named = name ? ['-t', name] : [];
  const { stdout, stderr } = spawnSync('npx', ['jest', test, ...named, '--forceExit'], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: MOST_OUTPUT,
  });
  const summary = /^Tests: +(?:(\d+) failed, )?.*\d+ total$/m.exec(`${stdout}${stderr}`);
  return summary ? Number(summary[1] ?? 0) : undefined;
}

const copy = mkdtempSync(join(tmpdir(), 'guards-'));
let unproven = 0;
try {
  const isCopied = (path) => !/(^|\/)(node_modules|\.git|\.market)$/.test(relative(ROOT, path));
  cpSync(ROOT, copy, { recursive: true, filter: isCopied });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  for (const guard of guards) {
    const before = readFileSync(join(copy, guard.file), 'utf8');
    writeBoth(copy, guard.file, without(before, guard));
    const failed = failuresOf(copy, guard);
    writeBoth(copy, guard.file, before);
    if (!failed) unproven += 1;
    const verdict = failed ? `fails (${failed})` : failed === 0 ? 'PASSES' : 'DID NOT RUN';
    console.log(`${verdict}: ${guard.test} without ${guard.guard} (${guard.attack})`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
if (unproven > 0) process.exitCode = 1;
