import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { mutantsOf } from './lib/sql-mutants.mjs';

/**
 * `npm run mutants:sql -- --domain ledger --sample 60 --seed 1`: changes one operator, comparison, lock clause or
 * constant of a SQL function at a time, and runs the tests of the ledger on databases that have the changed function. A
 * mutant that no test notices survives and is listed. The exit code is 1 if fewer than `--least` percent were noticed.
 * Nothing of the repository is changed. `--function <name>` takes all mutants of one function.
 */
const root = resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    domain: { type: 'string', default: 'ledger' },
    function: { type: 'string' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    least: { type: 'string', default: '90' },
    minutes: { type: 'string', default: '600' },
  },
});
/** The quickest first: most mutants need no more. */
const TESTS = [
  ['ledger', 'ledger-clawback', 'row-rules'],
  ['ledger-digests', 'ledger-accounts', 'ledger-properties', 'ledger-check', 'ledger-grants', 'ledger-storm'],
  [
    'market-mixture',
    'ledger-tampering',
    'ledger-incremental',
    'ledger-archive',
    'ledger-shards',
    'invoice-numbers',
  ],
];

/** A repeatable order. */
function shuffled(list, seed) {
  let state = seed;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const keyed = list.map((item) => [next(), item]);
  return keyed.sort(([a], [b]) => a - b).map(([, item]) => item);
}

/** Runs tests on databases with the mutant. */
function run(files, mutantFile) {
  const paths = files.map((name) => `test/integration/ledger/${name}.test.ts`);
  const words = [
    'jest',
    '--selectProjects',
    'integration',
    '--bail',
    '--silent',
    '--runTestsByPath',
    ...paths,
  ];
  const child = spawn('npx', words, { cwd: root, env: { ...process.env, TEST_DATABASE_SQL: mutantFile } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece));
  return new Promise((settle) => {
    child.once('close', (code) => settle({ code, output }));
  });
}

const folder = join(root, 'migrations/functions', values.domain);
const all = readdirSync(folder)
  .filter((name) => name.endsWith('.sql') && (!values.function || name === `${values.function}.sql`))
  .sort()
  .flatMap((name) => mutantsOf(basename(name, '.sql'), readFileSync(join(folder, name), 'utf8')));
const chosen = shuffled(all, Number(values.seed)).slice(0, Number(values.sample ?? all.length));
console.log(`${all.length} mutants of ${values.domain}; ${chosen.length} are tried (seed ${values.seed})`);

const work = mkdtempSync(join(tmpdir(), 'sql-mutants-'));
const found = { killed: 0, survived: [], invalid: 0 };
const endsAt = Date.now() + Number(values.minutes) * 60_000;
for (const mutant of chosen) {
  if (Date.now() > endsAt) break;
  const file = join(work, 'mutant.sql');
  writeFileSync(file, mutant.sql);
  let verdict = 'survived';
  for (const files of TESTS) {
    const { code, output } = await run(files, file);
    if (output.includes('TEST_DATABASE_SQL cannot be applied')) verdict = 'invalid';
    else if (code !== 0) verdict = 'killed';
    if (verdict !== 'survived') break;
  }
  if (verdict === 'killed') found.killed += 1;
  else if (verdict === 'invalid') found.invalid += 1;
  else found.survived.push(mutant);
  console.log(`${verdict.padEnd(8)}  ${mutant.name}:${mutant.line}  ${mutant.what}`);
}
rmSync(work, { recursive: true });
const tried = found.killed + found.survived.length;
const percent = tried === 0 ? 0 : (100 * found.killed) / tried;
console.log(
  `${found.killed} of ${tried} killed (${percent.toFixed(1)}%), ${found.invalid} were no valid SQL`,
);
for (const { name, line, what, text } of found.survived)
  console.log(`survived  ${name}:${line}  ${what}\n          ${text}`);
process.exit(percent >= Number(values.least) ? 0 : 1);
