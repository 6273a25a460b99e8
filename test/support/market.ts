/**
 * A whole market in the test's process: HTTP API and workers, each with its own container as in processes of their own,
 * on a database and task queues that only it uses. Agents are put live directly; the tests of publishing go the public
 * way.
 */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Client } from 'pg';
import { startApi, type RunningApi } from '../../src/api/server';
import { loadConfig, type Config } from '../../src/config';
import { createContainer, type Container } from '../../src/container';
import { completeManifest } from '../../src/domain/catalogue/manifest';
import { parseVersion } from '../../src/domain/catalogue/semver';
import { canonicalJson, sha256Hex } from '../../src/kit/json/canonical-json';
import { payoutScheduleId } from '../../src/engine/payouts';
import { advisoryScheduleId, rateScheduleId, retentionScheduleId } from '../../src/engine/schedules';
import { newId } from '../../src/kit/ids/ids';
import { createPasswords } from '../../src/kit/crypto/passwords';
import { newSigningSecret } from '../../src/kit/crypto/webhook-signature';
import { createLogger } from '../../src/logger';
import { SEARCH_ATTRIBUTE_BYTES } from '../../src/runtime/temporal/limits';
import { signingSecretContext } from '../../src/services/catalogue/signing-secret';
import { checkLedger, formatReport } from '../../src/services/ledger/ledger-check';
import { insertVersion, moveVersion, supersedeOthers } from '../../src/stores/catalogue/agent-versions';
import { claimSlug, insertAgent } from '../../src/stores/catalogue/agents';
import { putInService } from '../../src/services/prices/price-rises';
import { startInvocationEngine, type InvocationEngine } from '../../src/workers/engine-parts';
import { InProcessWorker } from '../../src/workers/in-process-worker';
import { startOperations, type RunningOperations } from '../../src/workers/operations';
import { TEST_CA_FILE, testCertificates } from './agents/authority';
import './stack/closed-connections';
import { ENROLMENT } from './ledger/counts';
import { testManifest, type TestManifestOptions } from './agents/manifest';
import { createTestDatabase, type TestDatabase } from './stack/database';
import { newSlug } from './names';
import { serialClient } from './stack/serial-client';
import { createTestTemporal, sharedTemporal, type TestTemporal } from './stack/temporal';
import { workflowEnvironment } from './stack/workflow-environment';

export interface TestMarket {
  url: string;
  config: Config;
  container: Container;
  engine: InvocationEngine;
  database: TestDatabase;
  temporal: TestTemporal;
  /**
   * The engine as an operator sees it, over connections of the tests: its client, and what a worker of a test needs.
   */
  environment: TestWorkflowEnvironment;
  /** The owner's connection, to look behind the curtain. */
  owner: Client;
  stop(): Promise<void>;
}

export interface TestMarketOptions {
  env?: Record<string, string>;
  /** Start the worker's side (lease sweep, second invocation worker) too; default true. */
  operations?: boolean;
  /** A further API process of this market, on its database and task queues; stop it before that one. */
  share?: TestMarket;
  /**
   * A namespace of this market alone: for slugs that other files use too, since a verification is named after its
   * agent.
   */
  ownNamespace?: boolean;
  /** Passwords are hashed at the cost of production: for files that measure what logins cost others. */
  realHashes?: boolean;
  /** Probes are spaced as in production: for files that measure what verifications cost others. */
  realSpacing?: boolean;
}

/**
 * Most users of tests only need an account. A password hash with the cost of production would take longer than the rest
 * of a registration.
 */
const LIGHT_HASH = { memoryCost: 64, timeCost: 1 };
/** In production the probes of many runs leave the processor to buyers: 40 runs of a test file would take minutes. */
const CLOSE_PROBES = { burst: 48, leastMs: 1, mostMs: 2, retryAfterMs: 50 };

export async function startMarket(options: TestMarketOptions = {}): Promise<TestMarket> {
  await testCertificates();
  const { share } = options;
  const database = share?.database ?? (await createTestDatabase());
  const temporal = share?.temporal ?? (options.ownNamespace ? await createTestTemporal() : sharedTemporal());
  const config = marketConfig(database, temporal, options.env);
  const container = createContainer(config, createLogger('test', config.LOG_LEVEL), {
    ...(!options.realHashes && { passwords: createPasswords(undefined, undefined, LIGHT_HASH) }),
    ...(!options.realSpacing && { spacing: CLOSE_PROBES }),
  });
  const engine = startInvocationEngine(container);
  const withOperations = options.operations ?? !share;
  // Few tests need the threads of the worker's side. Its workflows run in this one: starting a thread takes 0.4 s.
  const workerConfig = { ...config, WARM_UP: false };
  const other = withOperations
    ? createContainer(workerConfig, createLogger('test', config.LOG_LEVEL))
    : undefined;
  const operations: RunningOperations | undefined = other && startOperations(other, InProcessWorker);
  await engine.link.connected();
  const environment = await workflowEnvironment(temporal);
  const api: RunningApi = await startApi(container, engine);
  const owner = share?.owner ?? serialClient(database.ownerUrl);
  if (!share) await owner.connect();
  return {
    url: api.url,
    config,
    container,
    engine,
    database,
    temporal,
    environment,
    owner,
    async stop() {
      api.drain();
      await engine.drain(config.DRAIN_MS);
      await api.stop(1_000);
      if (operations) await removeSchedules(engine, temporal);
      await engine.stop();
      await operations?.stop();
      await container.close();
      await other?.close();
      if (share) return;
      await owner.end();
      await database.drop();
    },
  };
}

/** The server is shared: a market takes its Schedules with it. */
async function removeSchedules({ link }: InvocationEngine, { taskQueuePrefix }: TestTemporal): Promise<void> {
  for (const idOf of [retentionScheduleId, advisoryScheduleId, payoutScheduleId, rateScheduleId]) {
    const handle = link.client()?.schedule.getHandle(idOf(taskQueuePrefix));
    await handle?.delete().catch(() => undefined);
  }
}

function marketConfig(
  database: TestDatabase,
  temporal: TestTemporal,
  env: Record<string, string> = {},
): Config {
  return loadConfig({
    NODE_ENV: 'test',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    PORT: '0',
    DATABASE_URL: database.appUrl,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
    TASK_QUEUE_PREFIX: temporal.taskQueuePrefix,
    EGRESS_ALLOW: '127.77.0.0/16',
    EGRESS_EXTRA_CA_FILE: TEST_CA_FILE,
    SWEEP_INTERVAL_MS: '2000',
    // Otherwise agents are probed again while a test counts their calls.
    VERIFICATION_CLOCK: 'production',
    DRAIN_MS: '0',
    ENROLMENT,
    TEMPORAL_SEARCH_ATTRIBUTE_BYTES: String(SEARCH_ATTRIBUTE_BYTES),
    WARM_UP: 'false',
    ...env,
  });
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
    body: JSON.stringify({
      email,
      password: 'correct horse battery',
      displayName: `Test ${role} ${users}`,
      role,
    }),
  });
  if (response.status !== 201) throw new Error(`register: ${response.status} ${await response.text()}`);
  const profile = (await response.json()) as { user_id: string };
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
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

/** Makes an agent live at `url`, without verification. */
export async function putLive(
  market: Pick<TestMarket, 'owner' | 'container'>,
  developerUserId: string,
  url: string,
  options: TestManifestOptions = {},
): Promise<LiveAgent> {
  const slug = options.agentId ?? newSlug('echo');
  const agentId = `agt_${slug.replaceAll('-', '_')}_v1`;
  const signingSecret = newSigningSecret();
  const sealed = await market.container.cipher.seal(
    Buffer.from(signingSecret),
    signingSecretContext(agentId),
  );
  await claimSlug(market.owner, slug, developerUserId);
  await insertAgent(market.owner, { agentId, slug, major: 1, developerUserId, sealedSigningSecret: sealed });
  const versionId = await putVersion(market, agentId, url, { ...options, agentId: slug });
  return { agentId, versionId, signingSecret };
}

/** Makes a version (1.0.0 unless `options.version` says another) live, in one transaction as a passed run does. */
export async function putVersion(
  market: Pick<TestMarket, 'owner'>,
  agentId: string,
  url: string,
  options: TestManifestOptions & { priceNoticeMs?: number } = {},
): Promise<string> {
  const { owner } = market;
  const slug = agentId.slice('agt_'.length, agentId.lastIndexOf('_v')).replaceAll('_', '-');
  const manifest = completeManifest(testManifest(url, { ...options, agentId: slug }), 'dev_test');
  const number = parseVersion(manifest.version);
  if (!number) throw new Error(manifest.version);
  const versionId = newId('agv');
  const manifestJson = JSON.stringify(manifest);
  const manifestSha256 = sha256Hex(canonicalJson(manifest));
  await owner.query('BEGIN');
  await insertVersion(owner, {
    versionId,
    agentId,
    number,
    state: 'submitted',
    manifest,
    manifestJson,
    manifestSha256,
  });
  await passVersion(owner, agentId, versionId, options.priceNoticeMs);
  await owner.query('COMMIT');
  return versionId;
}

/** Moves a submitted version to live as a passed run does, and lists its agent without a report. */
export async function passVersion(
  owner: Client,
  agentId: string,
  versionId: string,
  priceNoticeMs = 0,
): Promise<void> {
  await moveVersion(owner, versionId, ['submitted'], 'verifying');
  await moveVersion(owner, versionId, ['verifying'], 'verified');
  await supersedeOthers(owner, agentId, ['live', 'rejected'], versionId);
  await moveVersion(owner, versionId, ['verified'], 'live');
  await putInService(owner, agentId, versionId, priceNoticeMs);
  await owner.query(
    `UPDATE agents SET listed = (status = 'active' AND visibility = 'public'), live_at = coalesce(live_at, now()) WHERE agent_id = $1`,
    [agentId],
  );
}

export interface InvokeReply {
  status: number;
  headers: Headers;
  body: {
    output?: unknown;
    usage?: { tokens_in: number; tokens_out: number; duration_ms: number; credits_charged: number };
    output_expired?: true;
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

/** The balance of an account from its entries, in units. */
export async function balance(owner: Client, userId: string | null, kind: string): Promise<number> {
  const result = await owner.query<{ balance_units: string }>(
    'SELECT balance_units FROM account_balances WHERE user_id IS NOT DISTINCT FROM $1 AND kind = $2',
    [userId, kind],
  );
  return Number(result.rows[0]?.balance_units);
}

/** Proves the whole ledger of a market against its calls; throws with the failing proofs. */
export async function expectWholeLedger(market: Pick<TestMarket, 'container'>): Promise<void> {
  const report = await checkLedger(market.container.pool);
  if (!report.ok) throw new Error(formatReport(report));
}

export { eventually } from './waits';
