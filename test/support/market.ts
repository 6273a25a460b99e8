/**
 * A whole market in the test's process: HTTP API and workers, each with its own container as in processes of their
 * own, on a database and task queues that only it uses. Agents are put live directly; the tests of publishing go the public way.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startApi, type RunningApi } from '../../src/api/server';
import { loadConfig, type Config } from '../../src/config';
import { createContainer, type Container } from '../../src/container';
import { type Manifest, publicPartOf } from '../../src/domain/manifest';
import { newId } from '../../src/kit/ids';
import { newSigningSecret } from '../../src/kit/webhook-signature';
import { createLogger } from '../../src/logger';
import { signingSecretContext } from '../../src/services/agent-caller';
import { startInvocationEngine, type InvocationEngine } from '../../src/workers/engine-parts';
import { startOperations, type RunningOperations } from '../../src/workers/operations';
import { TEST_CA_FILE, testCertificates } from './agents/authority';
import { testManifest, type TestManifestOptions } from './agents/manifest';
import { createTestDatabase, type TestDatabase } from './database';
import { sharedTemporal, type TestTemporal } from './temporal';

export interface TestMarket {
  url: string;
  config: Config;
  container: Container;
  engine: InvocationEngine;
  database: TestDatabase;
  temporal: TestTemporal;
  /** The owner's connection, to look behind the curtain. */
  owner: Client;
  stop(): Promise<void>;
}

export interface TestMarketOptions {
  env?: Record<string, string>;
  /** Start the worker's side (lease sweep, second invocation worker) too; default true. */
  operations?: boolean;
}

export async function startMarket(options: TestMarketOptions = {}): Promise<TestMarket> {
  await testCertificates();
  const database = await createTestDatabase();
  const temporal = sharedTemporal();
  const config = loadConfig({
    NODE_ENV: 'test',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    PORT: '0',
    DATABASE_URL: database.appUrl,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
    TASK_QUEUE_PREFIX: temporal.taskQueuePrefix,
    EGRESS_ALLOW: '127.77.0.0/16',
    EGRESS_EXTRA_CA_FILE: TEST_CA_FILE,
    SWEEP_INTERVAL_MS: '500',
    ...options.env,
  });
  const container = createContainer(config, createLogger('test', config.LOG_LEVEL));
  const engine = startInvocationEngine(container);
  const other = options.operations === false ? undefined : createContainer(config, createLogger('test', config.LOG_LEVEL));
  const operations: RunningOperations | undefined = other && startOperations(other);
  await engine.link.connected();
  const api: RunningApi = await startApi(container, engine);
  const owner = new Client({ connectionString: database.ownerUrl });
  await owner.connect();
  return {
    url: api.url,
    config,
    container,
    engine,
    database,
    temporal,
    owner,
    async stop() {
      await api.stop(1_000);
      await engine.stop();
      await operations?.stop();
      await container.close();
      await other?.close();
      await owner.end();
      await database.drop();
    },
  };
}

export interface TestUser {
  userId: string;
  email: string;
  cookie: string;
}

let users = 0;

/** Registers over HTTP and, for `credits`, tops up through the ledger. */
export async function register(
  market: Pick<TestMarket, 'url' | 'owner'>,
  role: 'buyer' | 'developer',
  credits = 0,
): Promise<TestUser> {
  users += 1;
  const email = `${role}-${process.pid}-${users}@example.test`;
  const response = await fetch(`${market.url}/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'correct horse battery', displayName: `Test ${role} ${users}`, role }),
  });
  if (response.status !== 201) throw new Error(`register: ${response.status} ${await response.text()}`);
  const profile = (await response.json()) as { user_id: string };
  const cookie = response.headers.getSetCookie().map((line) => line.split(';')[0]).join('; ');
  if (credits > 0) await topUp(market.owner, profile.user_id, credits);
  return { userId: profile.user_id, email, cookie };
}

export async function topUp(owner: Client, userId: string, credits: number): Promise<void> {
  const topupId = newId('top');
  await owner.query(
    `INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider)
     VALUES ($1, $2, $3, 'INR', $3, 'sandbox')`,
    [topupId, userId, credits * 100],
  );
  await owner.query('SELECT * FROM billing_complete_topups($1)', [[topupId]]);
}

export interface LiveAgent {
  agentId: string;
  versionId: string;
  signingSecret: string;
}

let slugs = 0;

/** Puts an agent live at `url`, past verification. */
export async function putLive(
  market: Pick<TestMarket, 'owner' | 'container'>,
  developerUserId: string,
  url: string,
  options: TestManifestOptions & { freeTierCalls?: number } = {},
): Promise<LiveAgent> {
  slugs += 1;
  const slug = options.agentId ?? `echo-${process.pid}-${slugs}`;
  const manifest = testManifest(url, { ...options, agentId: slug });
  const agentId = `agt_${slug.replaceAll('-', '_')}_v1`;
  const versionId = newId('agv');
  const signingSecret = newSigningSecret();
  const sealed = await market.container.cipher.seal(Buffer.from(signingSecret), signingSecretContext(agentId));
  const { owner } = market;
  await owner.query('INSERT INTO slugs (slug, developer_user_id) VALUES ($1, $2)', [slug, developerUserId]);
  await owner.query(
    `INSERT INTO agents (agent_id, slug, major, developer_user_id, kind, signing_secret, listed, live_at)
     VALUES ($1, $2, 1, $3, 'manifest', $4, true, now())`,
    [agentId, slug, developerUserId, sealed],
  );
  await owner.query(
    `INSERT INTO agent_versions (version_id, agent_id, slug, version, major, minor, patch, state, manifest,
       manifest_sha256, endpoint_url, display_name, description, category, tags, pricing_model, price_units,
       free_tier_calls, timeout_ms, max_payload_bytes, retention_days, streaming, idempotent, a2a_invocable, public_part,
       live_at)
     VALUES ($1, $2, $3, '1.0.0', 1, 0, 0, 'live', $4, 'test', $5, $6, $7, 'other', '{test}', 'per_call', $8, $9, $10,
       $11, $12, false, $13, true, $14, now())`,
    [
      versionId,
      agentId,
      slug,
      JSON.stringify(manifest),
      url,
      manifest.display_name,
      manifest.description,
      (options.credits ?? 10) * 100,
      options.freeTierCalls ?? 0,
      manifest.endpoint.timeout_ms,
      options.maxPayloadBytes ?? 10 * 1024 * 1024,
      manifest.data_handling.data_retention_days,
      manifest.capabilities.idempotent,
      JSON.stringify(publicPartOf(manifest as unknown as Manifest)),
    ],
  );
  await owner.query('UPDATE agents SET serving_version_id = $2 WHERE agent_id = $1', [agentId, versionId]);
  return { agentId, versionId, signingSecret };
}

export interface InvokeReply {
  status: number;
  headers: Headers;
  body: {
    output?: unknown;
    usage?: { credits_charged: number; duration_ms: number };
    trace_id?: string;
    invocation_id?: string;
    error?: { code: string; message: string; retryable: boolean };
    detail?: { loc: (string | number)[] }[];
  };
}

/** POST /v1/agents/{agent_id}/invoke as a buyer would. */
export async function invoke(
  market: Pick<TestMarket, 'url'>,
  buyer: Pick<TestUser, 'cookie'>,
  agentId: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<InvokeReply> {
  const response = await fetch(`${market.url}/v1/agents/${agentId}/invoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: buyer.cookie, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as InvokeReply['body'],
  };
}

/** What an account really holds, in units. */
export async function balance(owner: Client, userId: string | null, kind: string): Promise<number> {
  const result = await owner.query<{ balance_units: string }>(
    'SELECT balance_units FROM account_balances WHERE user_id IS NOT DISTINCT FROM $1 AND kind = $2',
    [userId, kind],
  );
  return Number(result.rows[0]?.balance_units);
}

/** Waits until `holds` answers true; fails after `timeoutMs`. */
export async function eventually(holds: () => Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const giveUpAt = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > giveUpAt) throw new Error(`not true within ${timeoutMs} ms`);
    await sleep(50);
  }
}
