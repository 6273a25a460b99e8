/** The pooler hands its clients over to a second one, however long that one takes to start. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Cluster } from '../../ops/cluster/layout';
import { handOver, poolerPart } from '../../ops/cluster/pooler';
import { findPrograms } from '../../ops/cluster/programs';
import { DATABASE } from '../../src/runtime/environment';
import { APP_ROLE, ensureDatabase, ensureRoles } from '../../src/runtime/postgres/database';
import { postgresUrl, startPostgres, type RunningPostgres } from '../../src/runtime/postgres/postgres';
import { removePlace } from '../../src/runtime/postgres/postgres-binaries';
import { freePort } from '../../src/runtime/processes/processes';
import type { Part, RunningPart, Supervisor } from '../../src/runtime/processes/supervisor';
import { WITHOUT_FSYNC } from '../support/stack/stack';
import { realTime } from '../support/waits';

const PASSWORD = 'pooler-test';
const SLOW_START_MS = 1_500;

let home: string;
let postgres: RunningPostgres;
let cluster: Cluster;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'market-handover-'));
  chmodSync(home, 0o755);
  const [postgresPort, poolerPort] = [await freePort(), await freePort()];
  const { pgbouncer, poolerPrepares } = await findPrograms(() => undefined);
  postgres = await startPostgres({
    home,
    port: postgresPort,
    logFile: join(home, 'postgres.log'),
    superuserPassword: PASSWORD,
    settings: WITHOUT_FSYNC,
  });
  await ensureRoles(postgres.superuserUrl('postgres'), { owner: PASSWORD, app: PASSWORD });
  await ensureDatabase(postgres.superuserUrl('postgres'), DATABASE);
  const slow = join(home, 'slow-pgbouncer');
  const pause = `case "$*" in *-R*) sleep ${SLOW_START_MS / 1_000};; esac`;
  writeFileSync(slow, `#!/bin/sh\n${pause}\nexec ${pgbouncer} "$@"\n`, { mode: 0o755 });
  cluster = {
    stack: { settings: { home }, secrets: { postgres: { owner: PASSWORD, app: PASSWORD } } },
    secrets: { temporal: PASSWORD, pooler: PASSWORD },
    programs: { pgbouncer: slow, poolerPrepares },
    primary: 'postgres-1',
    readsFrom: 'postgres-1',
    portOf: (name: string) => (name === 'pooler' ? poolerPort : postgresPort),
  } as unknown as Cluster;
});
afterAll(async () => {
  await postgres.stop();
  removePlace(home);
  rmSync(home, { recursive: true, force: true });
});

/** A supervisor of the pooler alone. */
function supervise() {
  const state: { running?: RunningPart } = {};
  const supervisor = {
    start: async (part: Part) => {
      state.running = await part.start(new AbortController().signal);
    },
    stop: async () => {
      const { running } = state;
      delete state.running;
      await running?.stop();
    },
  };
  return { state, supervisor: supervisor as unknown as Supervisor };
}

it('keeps the connections of its clients while a slow successor takes over', async () => {
  const { state, supervisor } = supervise();
  await supervisor.start(poolerPart(cluster));
  const first = state.running?.pid;
  const client = new Client({
    connectionString: postgresUrl({
      user: APP_ROLE,
      password: PASSWORD,
      port: cluster.portOf('pooler'),
      database: DATABASE,
    }),
  });
  const lost: Error[] = [];
  client.on('error', (error) => lost.push(error));
  await client.connect();
  let [isOver, answered] = [false, 0];
  const asking = (async () => {
    while (!isOver) {
      await client.query('SELECT 1');
      answered += 1;
      await realTime(10, 'questions have a rate');
    }
  })().catch((error: Error) => lost.push(error));
  await handOver(cluster, supervisor);
  expect(state.running?.pid).not.toBe(first);
  const during = answered;
  await realTime(300, 'questions are asked after the change');
  isOver = true;
  await asking;
  await client.end();
  await supervisor.stop(['pooler']);
  expect(lost).toEqual([]);
  expect(answered).toBeGreaterThan(during);
});
