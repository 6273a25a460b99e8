import { randomBytes } from 'node:crypto';
import { createCipher, parseMasterKeys } from '../../../src/kit/crypto/cipher';
import { SEALED_PLACES } from '../../../src/services/operations/sealed-places';
import { exchangeSealed, readSealedValue } from '../../../src/stores/operations/sealed-values';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import {
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  startMarket,
  type InvokeReply,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import { jobTaken, startJobAgent } from '../../support/jobs/reporting-agent';
import { registerDeveloper } from '../../support/catalogue/publishing';
import { operatorCommand } from '../../support/cli/operator-command';

/** The way of an operator with a new master key (docs/operations.md, "Keys"), while buyers call. */
const OLD = `main:1=${randomBytes(32).toString('base64')}`;
const NEW = `main:2=${randomBytes(32).toString('base64')}`;
const AUTH = { header: 'x-agent-key', key: 'Bearer 5tgb6yhn7ujm8ik,9ol.' };
const AGENTS = 3;

jest.setTimeout(180_000);

let markets: TestMarket[];
let agent: TestAgent;
let buyer: TestUser;
let developer: TestUser;
let agentIds: string[];

const first = () => markets[0] as TestMarket;
const at = (agentId: string) => ({ agentId, endpointUrl: agent.url });

async function startScene(): Promise<void> {
  // every process knows the new key before any encrypts with it
  markets = [await startMarket({ env: { MASTER_KEYS: `${NEW},${OLD}` } })];
  developer = await registerDeveloper(first());
  buyer = await register(first(), 'buyer', 100_000);
  agentIds = [];
  for (let made = 0; made < AGENTS; made += 1) {
    const { agentId } = await putLive(first(), developer.userId, agent.url, {
      inputSchema: {},
      outputSchema: {},
    });
    await first().owner.query(`UPDATE agents SET kind = 'http' WHERE agent_id = $1`, [agentId]);
    await first().container.credentials.store(first().container.pool, at(agentId), AUTH);
    agentIds.push(agentId);
  }
}

async function stopScene(): Promise<void> {
  await Promise.allSettled(loads.splice(0).map((load) => load.stop()));
  for (const market of markets.reverse()) await market.stop();
}

beforeAll(async () => {
  agent = await startAgent();
});
afterAll(() => agent.stop());

const market = (args: string[], keys: string, more: Record<string, string> = {}) =>
  operatorCommand(args, { DATABASE_URL: first().database.appUrl, MASTER_KEYS: keys, ...more });

const loads: { stop(): Promise<InvokeReply[]> }[] = [];

/** Buyers who call without a pause, half of them with keys, until they are stopped. */
function startLoad(on: TestMarket, name: string) {
  const replies: InvokeReply[] = [];
  let isOver = false;
  const callers = Array.from({ length: 4 }, async (_none, caller) => {
    for (let call = 0; !isOver; call += 1) {
      const agentId = agentIds[(caller + call) % AGENTS] ?? '';
      const keyed = call % 2 === 0 ? { idempotency_key: `${name}-${caller}-${call}` } : {};
      replies.push(await invoke(on, buyer, agentId, { input: { caller, call }, ...keyed }));
    }
  });
  const load = {
    replies,
    async stop() {
      isOver = true;
      await Promise.all(callers);
      return replies;
    },
  };
  loads.push(load);
  return load;
}

const failedOf = (replies: InvokeReply[]) =>
  replies.filter(({ status }) => status !== 200).map(({ body }) => body);

describe('moving values onto a new key', () => {
  // a market of its own for each, and for each try: keys cannot be turned back
  beforeEach(startScene);
  afterEach(stopScene);

  it('moves everything onto the new key while calls run, without one failed call', async () => {
    const kept = await invoke(first(), buyer, agentIds[0] ?? '', {
      input: { kept: 1 },
      idempotency_key: 'kept',
    });
    const working = await startJobAgent(first(), developer);
    await invoke(first(), buyer, working.agentId, { input: { text: 'x' } }, { prefer: 'respond-async' });
    const job = await jobTaken(first(), working);
    expect(await working.callBack(job, 'progress', { progress: 0.5, message: 'Half' })).toBe(202);
    const early = startLoad(first(), 'early');
    // the new key becomes the one that encrypts: another process is started with it, and takes over
    markets.push(await startMarket({ share: first(), env: { MASTER_KEYS: `${OLD},${NEW}` } }));
    const second = markets[1] as TestMarket;
    const late = startLoad(second, 'late');
    expect(failedOf(await early.stop())).toEqual([]);
    await eventually(() => Promise.resolve(late.replies.length > 0), 30_000);
    const before = late.replies.length;

    const rotated = await market(['keys', 'rotate', '--json'], `${OLD},${NEW}`);
    expect(rotated.stderr).toBe('');
    const report = JSON.parse(rotated.stdout) as { rewrapped: { place: string; values: number }[] };
    expect(report).toMatchObject({ newest: 'main:2', failed: [], remaining: [] });
    const counts = new Map(report.rewrapped.map(({ place, values }) => [place, values]));
    expect(counts.get('upstream credentials')).toBe(AGENTS);
    expect(counts.get('signing secrets of agents')).toBe(AGENTS + 1);
    expect(counts.get('messages of jobs')).toBe(1);
    expect(counts.get('stored answers')).toBeGreaterThan(0);
    expect(rotated.code).toBe(0);
    const during = late.replies.length;
    expect(during).toBeGreaterThan(before);

    const again = await market(['keys', 'rotate'], `${OLD},${NEW}`);
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('main:2 encrypts every value.') as string,
    });
    expect(failedOf(await late.stop())).toEqual([]);
    expect(late.replies.length).toBeGreaterThan(during);

    // the old key is removed: no value needs it, and values from before the rotation can still be read
    markets.push(
      await startMarket({ share: first(), env: { MASTER_KEYS: NEW, MASTER_KEY_MIN_VERSION: '2' } }),
    );
    const third = markets[2] as TestMarket;
    const replayed = await invoke(third, buyer, agentIds[0] ?? '', {
      input: { kept: 1 },
      idempotency_key: 'kept',
    });
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(replayed.body.output).toEqual(kept.body.output);
    const jobNow = async (at: TestMarket, wait: number) => {
      const url = `${at.url}/v1/invocations/${job}?wait=${wait}`;
      return (await (await fetch(url, { headers: { cookie: buyer.cookie } })).json()) as object;
    };
    expect(await jobNow(third, 0)).toMatchObject({ status: 'running', job: { message: 'Half' } });
    expect(await working.callBack(job, 'answer', { output: { text: 'done' } })).toBe(202);
    // The first process still encrypts with the old key, and may settle the job.
    expect(await jobNow(second, 30)).toMatchObject({ status: 'succeeded', output: { text: 'done' } });
    await working.agent.stop();
    agent.forget();
    expect((await invoke(third, buyer, agentIds[1] ?? '', { input: {} })).status).toBe(200);
    expect(agent.deliveries[0]?.headers['x-agent-key']).toBe(AUTH.key);
    const { rows } = await first().owner.query('SELECT DISTINCT key_version FROM upstream_credentials');
    expect(rows).toEqual([{ key_version: 2 }]);
    await expectWholeLedger(first());
  });

  it('names the values that no key opens, leaves them unchanged, and moves the others', async () => {
    const { owner } = first();
    const [victim, thief] = agentIds;
    await owner.query(
      `UPDATE upstream_credentials SET sealed = (SELECT sealed FROM upstream_credentials WHERE agent_id = $1)
        WHERE agent_id = $2`,
      [victim, thief],
    );
    const newest = `main:3=${randomBytes(32).toString('base64')}`;
    const { code, stdout } = await market(['keys', 'rotate', '--json'], `${OLD},${newest}`);
    const report = JSON.parse(stdout) as { failed: unknown[]; remaining: { place: string }[] };
    expect(code).toBe(1);
    expect(report.failed).toEqual([
      {
        place: 'upstream credentials',
        id: `${thief} ${agent.url}`,
        reason: 'the sealed value belongs to another context',
      },
    ]);
    expect(report.remaining).toEqual([{ place: 'upstream credentials', keys: { 'main:1': 1 } }]);
    const status = await market(['keys', 'status'], newest);
    expect(status.stdout).toContain(`upstream credentials: ${AGENTS - 1} by main:3, 1 by main:1`);
  });
});

describe('values and keys of a rotation', () => {
  beforeAll(startScene);
  afterAll(stopScene);

  it('neither open nor start with a key below the minimum version', async () => {
    const context = { purpose: 'test' };
    const sealed = await createCipher(parseMasterKeys(OLD)).seal(Buffer.from('x'), context);
    const strict = createCipher(parseMasterKeys(`${OLD},${NEW}`), 2);
    await expect(strict.unseal(sealed, context)).rejects.toThrow('cannot be unsealed');
    expect(() => createCipher(parseMasterKeys(OLD), 2)).toThrow('below MASTER_KEY_MIN_VERSION');
    const refused = await market(['keys', 'rotate'], OLD, { MASTER_KEY_MIN_VERSION: '2' });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('MASTER_KEY_MIN_VERSION') as string,
    });
  });

  it('keep a change that is made during the rotation', async () => {
    const { pool, credentials, cipher } = first().container;
    const [agentId = ''] = agentIds;
    const place = SEALED_PLACES.find(({ table }) => table === 'upstream_credentials');
    if (!place) throw new Error('credentials are not rotated');
    const id = `${agentId} ${agent.url}`;
    const read = await readSealedValue(pool, place, id);
    await credentials.store(pool, at(agentId), { header: AUTH.header, key: 'set-meanwhile-0123456789' });
    const after = await cipher.seal(Buffer.from(AUTH.key), place.context({ id, extra: AUTH.header }));
    const exchange = { id, before: read?.sealed ?? after, after, keyVersion: 1 };
    expect(await exchangeSealed(pool, place, exchange)).toBe(false);
    expect((await credentials.headersFor(at(agentId))).headers).toEqual({
      [AUTH.header]: 'set-meanwhile-0123456789',
    });
  });

  /** Binary columns that hold nothing sealed. */
  const NOT_SEALED = [
    'agent_access_links.token_sha256',
    'organisation_invitations.sha256',
    'sso_attempts.browser_sha256',
    'sso_attempts.state_sha256',
    'agent_bundles.bundle',
    'agent_vectors.vector',
    'api_key_secrets.sha256',
    'mail_tokens.sha256',
    'oauth_devices.device_sha256',
    'oauth_secrets.sha256',
    // Without the refresh token, of which only the hash is stored, it computes no successor; it is gone with the
    // token's row.
    'oauth_secrets.successor_key',
    'oauth_programs.old_sha256',
    'oauth_programs.secret_sha256',
    'recovery_codes.sha256',
  ];

  it('include every column that contains sealed values', async () => {
    const { rows } = await first().owner.query<{ place: string }>(
      `SELECT table_name || '.' || column_name AS place FROM information_schema.columns
        WHERE table_schema = 'public' AND data_type = 'bytea'`,
    );
    const known = SEALED_PLACES.map(({ table, column }) => `${table}.${column}`);
    const sealed = rows.map(({ place }) => place).filter((place) => !NOT_SEALED.includes(place));
    expect(sealed.sort()).toEqual(known.sort());
  });

  it('are explained by the help of the command, with examples', async () => {
    const help = await market(['keys', 'rotate', '--help'], NEW);
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('Examples:') as string });
    const wrong = await market(['keys', 'turn'], NEW);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("unknown command 'turn'");
  });
});
