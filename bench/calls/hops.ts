/**
 * `npm run bench:hops`: counts the hops of one paid call in an API process that is warm. A hop sends a reader to
 * another file: it is a call of a named function that another file made (`hop-counter.mjs`). Calls of `src/kit`, which
 * has loops over bytes and words, and of the workflow beside the call are counted apart. Also printed:
 * all functions that ran, with callbacks and accessors, and SQL functions. What the process does without a call is left
 * out. BENCH_TOP=1 lists the functions, BENCH_TOP=hops the hops.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { request, WebSocket } from 'undici';
import { freePort } from '../../src/runtime/processes/processes';
import { DATABASE } from '../../test/support/stack/cluster';
import { startProcessStack } from '../../test/support/stack/process-stack';
import { firstLine, load } from '../measure';
import { addBenchApi } from '../product';

const ROOT = join(__dirname, '../..');
const OURS = `file://${join(ROOT, 'dist')}/`;
const WARM_UP_CALLS = 200;
const IDLE_MS = 4_000;
/** Postgres adds up the counts of a connection at the latest after it was idle for ten seconds. */
const COUNTED_AFTER_MS = 11_000;

/** Calls of each function, by file and place. `from`: how often each other file called it, for hops. */
type Counts = Map<string, { file: string; name: string; calls: number; from?: Record<string, number> }>;

interface Coverage {
  result: {
    url: string;
    functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[];
  }[];
}

async function main(): Promise<void> {
  const stack = await startProcessStack({ warm: true });
  const agent = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'bench/agent-process.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const port = await freePort();
    const { api, cookie, invokePath } = await addBenchApi(stack, {
      command: [
        process.execPath,
        `--inspect=127.0.0.1:${port}`,
        `--import=${join(ROOT, 'bench/calls/hop-counter.mjs')}`,
        join(ROOT, 'dist/api/main.js'),
      ],
      env: { ENROLMENT: process.env['ENROLMENT'] ?? 'enrolled' },
    });
    const path = await invokePath(await firstLine(agent.stdout));
    const call = async (count: number) => {
      const { errors } = await load(api.url, path, cookie, 1, count);
      if (errors > 0) throw new Error(`${errors} calls failed`);
    };
    await call(WARM_UP_CALLS);
    const database = new Client({ connectionString: stack.postgres.superuserUrl(DATABASE) });
    await database.connect();
    const sql = await sqlFunctionsOf(database, () => call(1));
    const { counts, hops } = await functionsOf(port, () => call(1));
    await database.end();
    reportHops(hops);
    report(counts, sql);
    await api.kill('SIGTERM');
  } finally {
    agent.kill();
    await stack.stop();
  }
}

/** The functions that run for `work`, and not without it. */
async function functionsOf(
  port: number,
  work: () => Promise<void>,
): Promise<{ counts: Counts; hops: Counts }> {
  const { body } = await request(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await body.json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  let sent = 0;
  const send = (method: string, params: object = {}): Promise<unknown> => {
    const id = (sent += 1);
    const answer = new Promise((resolve) => {
      socket.addEventListener('message', function heard({ data }) {
        const message = JSON.parse(String(data)) as { id?: number; result?: unknown };
        if (message.id !== id) return;
        socket.removeEventListener('message', heard);
        resolve(message.result);
      });
    });
    socket.send(JSON.stringify({ id, method, params }));
    return answer;
  };
  const take = async () => countsOf((await send('Profiler.takePreciseCoverage')) as Coverage);
  /** The hops since they were taken last. */
  const takeHops = async (): Promise<Counts> => {
    const expression = 'JSON.stringify([...hops, ...(hops.clear(), [])])';
    const { result } = (await send('Runtime.evaluate', { expression })) as { result: { value: string } };
    const taken: Counts = new Map();
    for (const [place, calls] of JSON.parse(result.value) as [string, number][]) {
      const [file = '', name = '', from = ''] = place.split(' ');
      const known = taken.get(`${file} ${name}`);
      const callers = { ...known?.from, [from]: calls };
      taken.set(`${file} ${name}`, { file, name, calls: calls + (known?.calls ?? 0), from: callers });
    }
    return taken;
  };
  await send('Profiler.enable');
  await send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await work();
  await sleep(IDLE_MS);
  await take();
  await takeHops();
  await sleep(IDLE_MS);
  const idle = await take();
  const idleHops = await takeHops();
  await work();
  const counts = await take();
  const hops = await takeHops();
  for (const [place, { calls }] of idle) if (calls > 0) counts.delete(place);
  for (const place of idleHops.keys()) hops.delete(place);
  socket.close();
  return { counts, hops };
}

function countsOf({ result }: Coverage): Counts {
  const ours = result.filter(({ url }) => url.startsWith(OURS));
  return new Map(
    ours.flatMap(({ url, functions }) =>
      functions.flatMap(({ functionName, ranges: [range] }) => {
        // The function of a whole file begins at 0 and runs when the file is loaded.
        if (!range || range.count === 0 || range.startOffset === 0) return [];
        const file = url.slice(OURS.length);
        const counted = { file, name: functionName || '(anonymous)', calls: range.count };
        return [[`${file}:${range.startOffset}`, counted] as const];
      }),
    ),
  );
}

/** The SQL functions that run for `work`, with their calls. */
async function sqlFunctionsOf(database: Client, work: () => Promise<void>): Promise<Map<string, number>> {
  await database.query(`ALTER SYSTEM SET track_functions = 'all'`);
  await database.query('SELECT pg_reload_conf()');
  const counts = async () => {
    await sleep(COUNTED_AFTER_MS);
    const { rows } = await database.query<{ name: string; calls: string }>(
      'SELECT funcname AS name, sum(calls) AS calls FROM pg_stat_user_functions GROUP BY funcname',
    );
    return new Map(rows.map(({ name, calls }) => [name, Number(calls)]));
  };
  await work();
  const first = await counts();
  const idle = await counts();
  await work();
  const after = await counts();
  const ran = [...after].flatMap(([name, calls]) => {
    const before = idle.get(name) ?? 0;
    const isIdle = before !== (first.get(name) ?? 0);
    return calls > before && !isIdle ? [[name, calls - before] as const] : [];
  });
  return new Map(ran);
}

/** Loops over bytes, JSON, words and tokens, and the workflow with its activities, which runs beside the call. */
const isBeside = (file: string) => /^(?:kit|activities|workers)\//.test(file) || file.endsWith('-bundle.js');

function countsLine(name: string, ran: readonly { file: string; name: string; calls: number }[]): string {
  const files = new Set(ran.map(({ file }) => file)).size;
  const named = ran.filter((counted) => counted.name !== '(anonymous)').length;
  const calls = ran.reduce((sum, counted) => sum + counted.calls, 0);
  return `${name}: ${ran.length} functions (${named} with a name) in ${files} files, ${calls} calls of them`;
}

function reportHops(hops: Counts): void {
  const ran = [...hops.values()];
  const [ours, kit] = [ran.filter(({ file }) => !isBeside(file)), ran.filter(({ file }) => isBeside(file))];
  const sumOf = (of: typeof ran) => of.reduce((sum, { calls }) => sum + calls, 0);
  const files = new Set(ours.map(({ file }) => file)).size;
  console.log(
    `hops of one call: ${sumOf(ours)} to ${ours.length} functions in ${files} files, ` +
      `and ${sumOf(kit)} to ${kit.length} functions of src/kit and the workflow`,
  );
  if (process.env['BENCH_TOP'] !== 'hops') return;
  for (const { file, name, calls, from = {} } of ours.sort((a, b) => a.file.localeCompare(b.file)))
    console.log(`  ${file} ${name}${calls > 1 ? ` ×${calls}` : ''} ← ${Object.keys(from).join(', ')}`);
}

function report(counts: Counts, sql: Map<string, number>): void {
  const ran = [...counts.values()];
  const files = [...new Set(ran.map(({ file }) => file))].sort();
  console.log(countsLine('one call', ran));
  const withoutKit = ran.filter(({ file }) => !isBeside(file));
  console.log(countsLine('without src/kit and workflows', withoutKit));
  console.log(`SQL: ${sql.size} functions, ${[...sql.values()].reduce((sum, n) => sum + n, 0)} calls`);
  if (process.env['BENCH_TOP'] !== '1') return;
  for (const file of files) {
    const functions = ran.filter((counted) => counted.file === file);
    console.log(
      `  ${file}: ${functions.map(({ name, calls: n }) => `${name}${n > 1 ? ` ×${n}` : ''}`).join(', ')}`,
    );
  }
  console.log(`  SQL: ${[...sql].map(([name, n]) => `${name}${n > 1 ? ` ×${n}` : ''}`).join(', ')}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
