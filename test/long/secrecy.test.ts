/**
 * Secrets that must appear nowhere, checked on separate processes with all their logs.
 *
 * A run of verification shows and stores no prompt, no canary, no credential and no address of the agent. Its agents
 * repeat everything they are sent, and fail now and then.
 *
 * Inputs and outputs of calls are readable in no table, no log, no history and no file of the stack, also those that
 * their buyer keeps.
 * Searched for are the words themselves, and their base64 and hexadecimal forms. Marks that must be there prove that
 * the search would find them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { retentionScheduleId } from '../../src/engine/schedules';
import { ATTEMPTS, SEEDS } from '../../src/verification/probes/red-team-suite';
import type { Behaviour, Delivery } from '../support/agents/behaviours';
import { testManifest } from '../support/agents/manifest';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { bundleOf, madeUp } from '../support/verification/bundles';
import { startHookServer, type HookServer } from '../support/webhooks/hook-server';
import { workflowOf } from '../support/calls/enrolled';
import { eventually, invoke, putLive, register, type TestUser } from '../support/market';
import {
  type ProcessStack,
  type ServiceProcess,
  startProcessStack,
  untilServing,
} from '../support/stack/process-stack';
import { publish, registerDeveloper, request, type TestDeveloper } from '../support/catalogue/publishing';
import { registerAgent } from '../support/catalogue/registrations';
import {
  dumpHistories,
  dumpTables,
  LISTS_LATE_MS,
  placesOf,
  postgresFolder,
  readFiles,
} from '../support/crash/traces';
import { postWebhook } from '../support/webhooks/webhooks';
import { realTime } from '../support/waits';

jest.setTimeout(240_000);

const TOKEN = 'tok_8Zq3vX7mT1bLw9Rk5Yd2';
const PLACE = '/a-place-that-nobody-else-is-told';
const HALF_A_CANARY = 5;
/** In the source of an agent, where it costs little. */
const KEY = `AKIA${madeUp('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16, 5)}`;

const SENT = 'canaryinput7f3a9c';
const ANSWERED = 'canaryoutput51d2e8';
/** Client's own words that are stored: idempotency keys. */
const STORED = 'storedmark90ab';

let stack: ProcessStack;
let api: ServiceProcess;
let developer: TestDeveloper;
let agent: TestAgent;
let hook: HookServer;

beforeAll(async () => {
  stack = await startProcessStack();
  api = await stack.addProcess('api', { env: { LOG_LEVEL: 'trace' } });
  await stack.addProcess('worker', { env: { LOG_LEVEL: 'trace' } });
  [agent, hook] = await Promise.all([startAgent(), startHookServer()]);
  developer = await registerDeveloper(market());
  await untilServing(api);
});
afterAll(async () => {
  await agent.stop();
  await hook.stop();
  await stack.stop();
});

const market = () => ({ url: api.url, owner: stack.owner, container: stack.container as never });

/** A manifest agent repeats its input; a self-hosted one answers with all that it knows, and fails sometimes. */
function tellAll({ body, headers, path }: Delivery): Behaviour {
  if (path.endsWith('/invoke')) return { kind: 'echo' };
  const output = { text: body.toString(), headers: JSON.stringify(headers), path };
  const turn = agent.deliveries.length % 5;
  if (turn === 0) return { kind: 'dies_before_answer' };
  return { kind: 'answer', status: turn === 3 ? 500 : 200, output };
}

/** The stream of changes of listings, as it comes to a buyer. */
async function follow(): Promise<{ text: string }> {
  const reader = await register(market(), 'buyer');
  const response = await fetch(`${api.url}/v1/listings/events`, { headers: { cookie: reader.cookie } });
  const told = { text: '' };
  const read = async () => {
    for await (const part of response.body ?? []) told.text += Buffer.from(part as Uint8Array).toString();
  };
  void read().catch(() => undefined);
  return told;
}

async function reports(): Promise<number> {
  const { rows } = await stack.owner.query<{ n: number }>('SELECT count(*)::int AS n FROM trust_reports');
  return rows[0]?.n ?? 0;
}

/** Everything that Temporal keeps of every workflow. */
async function histories(): Promise<string> {
  const connection = await Connection.connect({ address: stack.environment()['TEMPORAL_ADDRESS'] ?? '' });
  const { workflow } = new Client({ connection });
  const texts: string[] = [];
  await realTime(LISTS_LATE_MS, 'lists are late');
  for await (const { workflowId, runId } of workflow.list())
    texts.push(
      JSON.stringify(await workflow.getHandle(workflowId, runId).fetchHistory(), (_key, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString() : value,
      ),
    );
  await connection.close();
  return texts.join('\n');
}

/** The rows of verification and of events, with the evidence. */
async function rowsOf(tables: string[]): Promise<string> {
  const texts: string[] = [];
  for (const table of tables) {
    const { rows } = await stack.owner.query<{ text: string }>(`SELECT t::text AS text FROM ${table} t`);
    if (rows.length === 0) throw new Error(`${table} is empty`);
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}

const logs = () =>
  readdirSync(stack.home)
    .filter((name) => name.endsWith('.log'))
    .map((name) => readFileSync(join(stack.home, name), 'utf8'))
    .join('\n');

/**
 * Texts that must not be found: beginnings of the suite's texts, canaries as they were sent, the token, the address.
 */
function secretsOf(deliveries: readonly Delivery[]): string[] {
  const phrasings = [...SEEDS, ...ATTEMPTS.flatMap((attempt) => attempt.phrasings)];
  const prompts = phrasings
    .flatMap(({ text, short }) => [text, short])
    .map((text) => text.split(/[{\n"]/)[0]?.slice(0, 24) ?? '')
    .filter((prompt) => prompt.length >= 12);
  const sent = deliveries.map(({ body }) => body.toString());
  const canaries = sent.flatMap((body) => body.match(/\b[A-Z2-9]{5,10}\b/g) ?? []);
  const marks = canaries.filter((canary) => /[A-Z]/.test(canary));
  expect(new Set(marks).size).toBeGreaterThan(10);
  expect(sent.filter((body) => prompts.some((prompt) => body.includes(prompt))).length).toBeGreaterThan(10);
  expect(deliveries.some(({ headers }) => headers['x-agent-token'] === TOKEN)).toBe(true);
  const { host } = new URL(agent.url);
  return [...new Set([...prompts, ...marks, KEY, TOKEN, Buffer.from(TOKEN).toString('base64'), host, PLACE])];
}

/**
 * Base64 is decoded before the search: among its letters, half a canary (five characters) occurs now and
 * then by chance.
 */
function toldOf(secrets: readonly string[], text: string): string[] {
  const said = text.replace(/[\w+/-]{40,}/g, (run) => Buffer.from(run, 'base64').toString('latin1'));
  return secrets.filter(
    (secret) => said.includes(secret) || (secret.length > HALF_A_CANARY && text.includes(secret)),
  );
}

it('keeps prompts, canaries, credentials and addresses of a verification out of everything that it shows or logs', async () => {
  agent.behave(tellAll);
  const reportsBefore = await reports();
  const turn = Date.now().toString(36);
  await postWebhook(api, developer, { url: `${hook.url}/told`, types: ['agent.verification_completed'] });
  const stream = await follow();
  // A fault of ours in the last stage, in the middle of what there is to tell.
  await stack.owner.query(
    `ALTER TABLE verification_evidence ADD CONSTRAINT fault CHECK (stage <> 'redTeam') NOT VALID`,
  );
  const url = agent.url + PLACE;
  const bundle = bundleOf({ 'test/keys.mjs': `export const key = '${KEY}';\n` }).toString('base64');
  const manifest = testManifest(url, { agentId: `tells-all-${turn}` });
  const own = await publish(api, developer, manifest, { bundle_base64: bundle });
  const hosted = await registerAgent(api, developer, {
    slug: `tells-more-${turn}`,
    name: 'Tells more',
    access_config: { endpoint_url: url, price_per_call_units: 250 },
    upstream_auth: { header: 'X-Agent-Token', key: TOKEN },
  });
  expect([own.status, hosted.status]).toEqual([201, 201]);
  await eventually(() => Promise.resolve(logs().includes('violates check constraint')), 60_000);
  await stack.owner.query('ALTER TABLE verification_evidence DROP CONSTRAINT fault');
  await eventually(async () => (await reports()) === reportsBefore + 2 && hook.told.length >= 2, 60_000);
  const read = async (path: string) => JSON.stringify(await request(api, developer, 'GET', path));
  const shown: string[] = [];
  for (const { agent_id: id } of [own.body, hosted.body])
    for (const path of [`agents/${id}/trust-reports`, `developer/agents/${id}/findings`, `listings/${id}`])
      shown.push(await read(`/v1/${path}`));
  const told = {
    reports: shown.join('\n'),
    webhooks: hook.told.map(({ text }) => text).join('\n'),
    histories: await histories(),
    tables: await rowsOf(['verification_evidence', 'trust_reports', 'findings', 'events']),
    stream: stream.text,
    logs: logs(),
  };
  const secrets = secretsOf(agent.deliveries);
  // Each place reports on the run, so a secret that is not found there was not written.
  for (const text of [told.reports, told.webhooks, told.histories, told.tables, told.stream])
    expect(text).toContain(own.body.agent_id);
  expect(told.tables).toContain('test/keys.mjs');
  for (const [place, text] of Object.entries(told)) {
    expect([place, text.length > 100]).toEqual([place, true]);
    expect([place, toldOf(secrets, text)]).toEqual([place, []]);
  }
});

describe('calls', () => {
  let answering: TestAgent;
  let seller: TestUser;
  let buyer: TestUser;

  beforeAll(async () => {
    answering = await startAgent({ host: '127.77.0.2' });
    seller = await register(market(), 'developer');
    buyer = await register(market(), 'buyer', 1_000);
    const set = await request(market(), buyer, 'PUT', '/v1/auth/keeping', { days: 1 });
    expect(set.status).toBe(200);
  });
  afterAll(() => answering.stop());

  const input = { text: SENT };
  const answer = { kind: 'answer', output: { text: ANSWERED } } as const;

  /** Every way a call can go: kept by key or not, failed by status, by schema, refused for its input. */
  async function callEveryWay(retentionDays: number): Promise<string> {
    const { agentId } = await putLive(market(), seller.userId, answering.url, { retentionDays });
    const call = (body: unknown) => invoke(market(), buyer, agentId, body);
    answering.behave(answer);
    const replies = [
      await call({ input }),
      await call({ input, idempotency_key: `${STORED}-${retentionDays}` }),
    ];
    expect(replies.map((reply) => reply.body.output)).toEqual([answer.output, answer.output]);
    answering.behave({ ...answer, status: 500 });
    replies.push(await call({ input }));
    answering.behave({ kind: 'answer', output: { [ANSWERED]: ANSWERED } });
    replies.push(await call({ input }));
    replies.push(await call({ input: { text: SENT, n: SENT, [SENT]: true } }));
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 502, 502, 422]);
    return replies[1]?.body.invocation_id ?? '';
  }

  it('leave no readable input or output in tables, logs, histories and files', async () => {
    const connection = await Connection.connect({ address: stack.environment()['TEMPORAL_ADDRESS'] ?? '' });
    const client = new Client({ connection });
    const forgotten = await callEveryWay(0);
    const kept = await callEveryWay(1);
    const answersOf = async () =>
      (
        await stack.owner.query<{ id: string }>('SELECT invocation_id AS id FROM invocation_answers')
      ).rows.map(({ id }) => id);
    await eventually(async () => !(await answersOf()).includes(forgotten));
    expect(await answersOf()).toEqual([kept]);
    for (const id of [forgotten, kept]) await workflowOf(client, id);

    const keptRows = await stack.owner.query('SELECT FROM kept_bodies WHERE input IS NOT NULL');
    // The call that is refused for its input does not begin.
    expect(keptRows.rowCount).toBe(2 * 4);
    const folder = await postgresFolder(stack);
    const tables = await dumpTables(stack);
    const histories = await dumpHistories(client);
    const files = new Map([...readFiles(stack.home), ...readFiles(folder)]);
    const everything = new Map([...tables, ...histories, ...files]);
    for (const word of [SENT, ANSWERED]) expect(placesOf(everything, word)).toEqual([]);

    // the search finds known texts: keys in tables and in Postgres' files, call ids in histories, Temporal's file and
    // logs
    expect(placesOf(tables, STORED).sort()).toEqual(['table invocation_keys', 'table invocations']);
    expect(placesOf(files, STORED).length).toBeGreaterThan(0);
    expect(placesOf(histories, kept)).toEqual([`history ${await workflowOf(client, kept)}`]);
    expect(placesOf(files, kept).some((path) => path.includes('temporal.db'))).toBe(true);
    expect([...files.keys()].filter((path) => /\/(api|worker)-\d+\.log$/.test(path))).toHaveLength(2);
    expect(placesOf(files, '/v1/agents/').some((path) => /api-\d+\.log$/.test(path))).toBe(true);

    await stack.owner.query(`UPDATE invocation_answers SET expires_at = now() - interval '1 second'`);
    // The worker makes the Schedule when it has connected, which may be a moment after everything is ready.
    const trigger = () => client.schedule.getHandle(retentionScheduleId('')).trigger();
    await eventually(
      () =>
        trigger().then(
          () => true,
          () => false,
        ),
      20_000,
    );
    await eventually(async () => (await answersOf()).length === 0, 20_000);
    await connection.close();
  });
});
