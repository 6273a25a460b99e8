/**
 * `npm run bench:statements`: what one paid call costs Postgres, from the first call of a fresh database on: statements
 * with those inside functions, WAL records and bytes, transactions that wrote, milliseconds, rows that sequential scans
 * read, and the updates that were not HOT. Settings: BENCH_CALLS (1000), BENCH_CLIENTS (16), BENCH_TOP=1 lists the
 * statements, BENCH_WAL=1 the WAL records by table and index, BENCH_PROFILE=<folder> writes a CPU profile of the API
 * process.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Client } from 'pg';
import { DATABASE } from '../test/support/stack/cluster';
import { startProcessStack, type ProcessStack } from '../test/support/stack/process-stack';
import { cpuSeconds, firstLine, load } from './measure';
import { addBenchApi } from './product';

const CALLS = Number(process.env['BENCH_CALLS'] ?? 1_000);
const CLIENTS = Number(process.env['BENCH_CLIENTS'] ?? 16);
const SINGLE_CALLS = 200;
const WARM_UP_CALLS = 200;

interface Figures {
  statements: number;
  top: number;
  walRecords: number;
  walBytes: number;
  ms: number;
  writes: number;
}

async function main(): Promise<void> {
  const stack = await startProcessStack({ warm: true });
  const agent = spawn(process.execPath, ['--import', 'tsx', join(__dirname, 'agent-process.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const superuser = await countStatements(stack);
    await run(stack, superuser, await firstLine(agent.stdout));
    await superuser.end();
  } finally {
    agent.kill();
    await stack.stop();
  }
}

/** Restarts Postgres with pg_stat_statements, which counts the statements inside functions too. */
async function countStatements(stack: ProcessStack): Promise<Client> {
  const open = async () => {
    const client = new Client({ connectionString: stack.postgres.superuserUrl(DATABASE) });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const first = await open();
  await first.query(`ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`);
  await first.end();
  await stack.postgres.stop();
  await stack.startPostgres();
  const superuser = await open();
  await superuser.query('CREATE EXTENSION pg_stat_statements; CREATE EXTENSION pg_walinspect');
  return superuser;
}

async function run(stack: ProcessStack, superuser: Client, agentUrl: string): Promise<void> {
  const profile = process.env['BENCH_PROFILE'];
  const main = join(__dirname, '..', 'dist', 'api', 'main.js');
  const { api, cookie, invokePath } = await addBenchApi(stack, {
    ...(profile && { command: [process.execPath, '--cpu-prof', `--cpu-prof-dir=${profile}`, main] }),
    env: { ENROLMENT: process.env['ENROLMENT'] ?? 'enrolled' },
  });
  const path = await invokePath(agentUrl);
  let made = 0;
  const calls = async (clients: number, count: number) => {
    const result = await load(api.url, path, cookie, clients, count);
    made += result.calls;
    if (result.errors > 0) throw new Error(`${result.errors} calls failed`);
    return result;
  };
  const counted = async (name: string, clients: number, count: number) => {
    await track(superuser, 'all');
    const before = await figures(superuser);
    const from = await walPosition(superuser);
    const { calls: done } = await calls(clients, count);
    print(name, before, await figures(superuser), done);
    if (process.env['BENCH_WAL']) await printWal(superuser, from, done);
    if (process.env['BENCH_TOP'] && clients > 1) await printTop(superuser, done);
    await track(superuser, 'none');
    const cpuBefore = [stack.postgres.pid, api.pid].map((pid) => cpuSeconds([pid]));
    const timed = await calls(clients, count);
    const [postgres = 0, apiMs = 0] = [stack.postgres.pid, api.pid].map(
      (pid, n) => ((cpuSeconds([pid]) - (cpuBefore[n] ?? 0)) * 1_000) / timed.calls,
    );
    console.log(
      `${name}, statements not counted: ${timed.callsPerSecond.toFixed(1)} calls/s, p50 ${timed.p50Ms.toFixed(1)} ms, ` +
        `CPU a call: Postgres ${postgres.toFixed(2)} ms, API ${apiMs.toFixed(2)} ms`,
    );
  };
  await calls(CLIENTS, WARM_UP_CALLS);
  await counted(`${CLIENTS} clients`, CLIENTS, CALLS);
  await counted('1 client', 1, SINGLE_CALLS);
  await api.kill('SIGTERM');
  await printTables(superuser, made);
}

async function track(superuser: Client, what: 'all' | 'none'): Promise<void> {
  await superuser.query(`ALTER SYSTEM SET pg_stat_statements.track = '${what}'`);
  await superuser.query('SELECT pg_reload_conf(), pg_sleep(0.2)');
  await superuser.query('SELECT pg_stat_statements_reset()');
}

async function figures(superuser: Client): Promise<Figures> {
  const { rows } = await superuser.query<Record<keyof Figures, string>>(
    `SELECT sum(calls) AS statements, sum(calls) FILTER (WHERE toplevel) AS top,
            sum(wal_records) FILTER (WHERE toplevel) AS "walRecords", sum(wal_bytes) FILTER (WHERE toplevel) AS "walBytes",
            sum(total_exec_time) FILTER (WHERE toplevel) AS ms,
            pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS writes
       FROM pg_stat_statements
      WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND userid <> current_user::regrole`,
  );
  const row = rows[0];
  const number = (key: keyof Figures) => Number(row?.[key] ?? 0);
  return {
    statements: number('statements'),
    top: number('top'),
    walRecords: number('walRecords'),
    walBytes: number('walBytes'),
    ms: number('ms'),
    writes: number('writes'),
  };
}

function print(name: string, before: Figures, after: Figures, calls: number): void {
  const each = (key: keyof Figures) => ((after[key] - before[key]) / calls).toFixed(2);
  console.log(
    `${name}, a call: ${each('statements')} statements in ${each('top')} requests, ${each('walRecords')} WAL records of ` +
      `${each('walBytes')} bytes, ${each('writes')} transactions that wrote, ${each('ms')} ms in Postgres`,
  );
}

async function walPosition(superuser: Client): Promise<string> {
  const { rows } = await superuser.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn()::text AS lsn');
  return rows[0]?.lsn ?? '';
}

/** Lists the WAL records since a position by table or index; those of background processes too. */
async function printWal(superuser: Client, from: string, calls: number): Promise<void> {
  const { rows } = await superuser.query<{ n: number; record: string }>(
    `SELECT count(*) / $2::float AS n, coalesce(c.relname, '') || ' ' || w.resource_manager || ' ' || w.record_type AS record
       FROM pg_get_wal_records_info($1, pg_current_wal_flush_lsn()) w
       LEFT JOIN pg_get_wal_block_info($1, pg_current_wal_flush_lsn(), false) b
         ON b.start_lsn = w.start_lsn AND b.block_id = 0
       LEFT JOIN pg_class c ON pg_relation_filenode(c.oid) = b.relfilenode AND c.relkind IN ('r', 'i', 't', 'S')
      GROUP BY 2 ORDER BY 1 DESC LIMIT 50`,
    [from, calls],
  );
  for (const { n, record } of rows) if (n >= 0.05) console.log(`  ${n.toFixed(2)} × ${record}`);
}

async function printTop(superuser: Client, calls: number): Promise<void> {
  const { rows } = await superuser.query<{ n: number; ms: number; wal: number; top: boolean; query: string }>(
    `SELECT calls / $1::float AS n, total_exec_time / $1 AS ms, wal_records / $1::float AS wal, toplevel AS top,
            regexp_replace(left(query, 110), '\\s+', ' ', 'g') AS query
       FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 80`,
    [calls],
  );
  for (const { n, ms, wal, top, query } of rows) {
    if (n < 0.05) continue;
    console.log(
      `  ${n.toFixed(2)} × ${ms.toFixed(3)} ms, ${wal.toFixed(1)} WAL ${top ? 'request' : '  in it'}: ${query}`,
    );
  }
}

/** Read after the API has ended, because connections report their figures late. */
async function printTables(superuser: Client, calls: number): Promise<void> {
  const { rows } = await superuser.query<Record<'name' | 'scanned' | 'updates' | 'hot', string>>(
    `SELECT relname AS name, seq_tup_read AS scanned, n_tup_upd AS updates, n_tup_hot_upd AS hot
       FROM pg_stat_user_tables WHERE seq_tup_read > 0 OR n_tup_upd > 0 ORDER BY seq_tup_read DESC, relname`,
  );
  console.log(`since the first call, for each of ${calls} calls:`);
  for (const row of rows) {
    const each = (key: 'scanned' | 'updates' | 'hot') => Number(row[key]) / calls;
    if (each('scanned') + each('updates') < 0.05) continue;
    console.log(
      `  ${row.name}: ${each('scanned').toFixed(1)} rows read by sequential scans, ` +
        `${each('updates').toFixed(2)} updates, ${each('hot').toFixed(2)} of them HOT`,
    );
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
