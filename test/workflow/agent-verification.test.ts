import { Webhook } from 'standardwebhooks';
import type { EvidenceStage } from '../../src/domain/verification/probe-facts';
import type { VerificationState } from '../../src/domain/verification/verification';
import type { Behaviour, Delivery } from '../support/agents/behaviours';
import { testManifest, type TestManifestOptions } from '../support/agents/manifest';
import { refusingUrl, startAgent, type TestAgent } from '../support/agents/test-agent';
import { eventually, invoke, register, startMarket, type TestMarket, type TestUser } from '../support/market';
import { failStoring } from '../support/verification/failing-storage';
import { publish, registerDeveloper, request, type TestDeveloper } from '../support/catalogue/publishing';
import { realTime } from '../support/waits';
import { itLong, longRows } from '../support/ledger/counts';

let market: TestMarket;
let developer: TestDeveloper;
let agent: TestAgent;
let slugs = 0;

/** Headers that each request has a value of its own for. */
const OF_ONE_CALL = new Set([
  'content-length',
  'idempotency-key',
  'signature',
  'signature-input',
  'traceparent',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
  'x-deadline-ms',
  'x-invocation-id',
]);
/** Calls of one run of the agent of `manifest()`: valid and invalid inputs, those that prepare, and the red team's. */
const CALLS_OF_A_RUN = 33;
/** Those of the red team: ordinary inputs, canaries and attempts. */
const CALLS_OF_ATTACKS = 3 + 5 + 16;

beforeAll(async () => {
  market = await startMarket();
  developer = await registerDeveloper(market);
});
afterAll(() => market.stop());
beforeEach(async () => {
  agent = await startAgent();
});
afterEach(() => agent.stop());

function manifest(options: TestManifestOptions = {}) {
  slugs += 1;
  return testManifest(agent.url, { agentId: `probed-${slugs}`, ...options });
}

interface OwnVersion {
  version: string;
  status: string;
  reject_reason: string | null;
}

async function versions(agentId: string): Promise<OwnVersion[]> {
  const path = `/v1/developer/agents/${agentId}/versions`;
  return (await request<{ items: OwnVersion[] }>(market, developer, 'GET', path)).body.items;
}

async function waitFor(
  agentId: string,
  states: Record<string, string>,
  timeoutMs = 20_000,
): Promise<OwnVersion[]> {
  let seen: OwnVersion[] = [];
  await eventually(async () => {
    seen = await versions(agentId);
    return Object.entries(states).every(([version, state]) =>
      seen.some((v) => v.version === version && v.status === state),
    );
  }, timeoutMs).catch(() => undefined);
  expect(Object.fromEntries(seen.map(({ version, status }) => [version, status]))).toEqual(states);
  return seen;
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
}

const handle = (agentId: string) => market.environment.client.workflow.getHandle(`verification/${agentId}`);

describe('a version that answers as it promises', () => {
  it('goes live after probes that look like a buyer’s calls', async () => {
    const { body } = await publish(market, developer, manifest());
    await waitFor(body.agent_id, { '1.0.0': 'live' });
    const listing = await request(market, developer, 'GET', `/v1/listings/${body.agent_id}`);
    expect(listing).toMatchObject({
      status: 200,
      body: { version: '1.0.0', badge: null, trust_score: expect.any(Number) as unknown },
    });
    expect(agent.deliveries).toHaveLength(CALLS_OF_A_RUN);
    expect(new Set(agent.deliveries.map(({ invocationId }) => invocationId)).size).toBe(CALLS_OF_A_RUN);
    const own = await request<{ signing_secret: string }>(
      market,
      developer,
      'GET',
      `/v1/developer/agents/${body.agent_id}`,
    );
    for (const delivery of agent.deliveries) {
      expect(delivery.path).toBe('/invoke');
      expect(delivery.headers).toMatchObject({
        'x-invocation-id': expect.stringMatching(/^inv_[0-9a-f]{32}$/) as unknown,
        'x-agent-version': '1.0.0',
        // The agent's time, less what passed since the probe was accepted.
        'x-deadline-ms': expect.stringMatching(/^49\d\d$/) as unknown,
        traceparent: expect.any(String) as unknown,
      });
      expect(delivery.headers['idempotency-key']).toBe(delivery.headers['x-invocation-id']);
      const signed = delivery.headers as Record<string, string>;
      // The verifier reads JSON; one probe is none.
      if (isJson(delivery.body))
        new Webhook(own.body.signing_secret).verify(delivery.body.toString(), signed);
    }
    // test/long/probe-wire.test.ts compares times, connections and the distribution of each value, too.
    const probes = [...agent.deliveries];
    agent.forget();
    const buyer = await register(market, 'buyer', 100);
    expect((await invoke(market, buyer, body.agent_id, { input: { text: 'hello' } })).status).toBe(200);
    const formOf = ({ headers, method, body: sent }: Delivery) => ({
      method,
      headers: Object.entries(headers).map(([name, value]) => [name, OF_ONE_CALL.has(name) || value]),
      isCompact: !isJson(sent) || JSON.stringify(JSON.parse(sent.toString())) === sent.toString(),
    });
    const [call] = agent.deliveries.map(formOf);
    for (const probe of probes) expect(formOf(probe)).toEqual(call);
  });

  it('replaces its predecessor only when it is live itself', async () => {
    const first = manifest();
    const { body } = await publish(market, developer, first);
    await waitFor(body.agent_id, { '1.0.0': 'live' });
    agent.behave({ kind: 'wrong_shape' });
    await publish(market, developer, { ...first, version: '1.0.1' });
    await waitFor(body.agent_id, { '1.0.0': 'live', '1.0.1': 'rejected' });
    const path = `/v1/listings/slug/${first.agent_id}`;
    expect((await request(market, developer, 'GET', path)).body).toMatchObject({ version: '1.0.0' });
    agent.behave({ kind: 'echo' });
    await publish(market, developer, { ...first, version: '1.1.0' });
    await waitFor(body.agent_id, { '1.0.0': 'superseded', '1.0.1': 'rejected', '1.1.0': 'live' });
    expect((await request(market, developer, 'GET', path)).body).toMatchObject({ version: '1.1.0' });
    await publish(market, developer, { ...first, version: '2.0.0' });
    await waitFor(`agt_${first.agent_id.replaceAll('-', '_')}_v2`, { '2.0.0': 'live' });
    expect((await request(market, developer, 'GET', path)).body).toMatchObject({ version: '2.0.0' });
    expect((await request(market, developer, 'GET', `/v1/listings/${body.agent_id}`)).body).toMatchObject({
      version: '1.1.0',
    });
  });
});

describe('a version that does not', () => {
  it.each<[string, Behaviour, string]>([
    ['answers in another shape', { kind: 'wrong_shape' }, 'output_schema_mismatch'],
    ['dies in the middle', { kind: 'dies_mid_answer' }, 'agent_error'],
    ...longRows<[string, Behaviour, string]>(
      ['answers an error status', { kind: 'status', status: 500 }, 'agent_error'],
      ['redirects', { kind: 'redirect', location: 'https://127.77.0.2/' }, 'agent_error'],
    ),
  ])('is rejected with the reason when it %s, and is not in search', async (_name, behaviour, code) => {
    agent.behave(behaviour);
    const { body } = await publish(market, developer, manifest());
    const [version] = await waitFor(body.agent_id, { '1.0.0': 'rejected' });
    expect(version?.reject_reason).toMatch(
      new RegExp(`^Probe 1 failed with ${code}.*made from input_schema \\(invocation inv_`),
    );
    expect(version?.reject_reason).not.toContain('AGENT-SECRET-DETAIL');
    expect((await request(market, developer, 'GET', `/v1/listings/${body.agent_id}`)).status).toBe(404);
    const visibility = await request(
      market,
      developer,
      'GET',
      `/v1/developer/agents/${body.agent_id}/visibility`,
    );
    expect(visibility.body).toMatchObject({
      listed: false,
      reasons: [{ code: 'not_verified' }, { code: 'critical_finding' }],
    });
  });

  it('is rejected when no server listens', async () => {
    const document = { ...manifest(), endpoint: { url: await refusingUrl(), timeout_ms: 1_000 } };
    const { body } = await publish(market, developer, document);
    const [version] = await waitFor(body.agent_id, { '1.0.0': 'rejected' });
    expect(version?.reject_reason).toContain('agent_unreachable');
  });

  it('goes live when it is repaired and its owner requests another run', async () => {
    agent.behave({ kind: 'not_json' });
    const { body } = await publish(market, developer, manifest());
    await waitFor(body.agent_id, { '1.0.0': 'rejected' });
    agent.behave({ kind: 'echo' });
    const again = await request(market, developer, 'POST', `/v1/developer/agents/${body.agent_id}/reverify`);
    expect(again).toMatchObject({ status: 202, body: { status: 'submitted' } });
    const [version] = await waitFor(body.agent_id, { '1.0.0': 'live' });
    expect(version?.reject_reason).toBeNull();
  });

  it('is probed once more after one failed probe', async () => {
    agent.behave(({ headers }) => {
      const isFirst = agent.deliveries.length <= 1 && headers['x-invocation-id'] !== undefined;
      return isFirst ? { kind: 'dies_before_answer' } : { kind: 'echo' };
    });
    const { body } = await publish(market, developer, manifest());
    await waitFor(body.agent_id, { '1.0.0': 'live' });
    expect(agent.deliveries).toHaveLength(CALLS_OF_A_RUN + 1);
  });

  it('is rejected when no input can be made from its schema', async () => {
    const document = { ...manifest(), input_schema: { type: 'object', not: {} } };
    const { body } = await publish(market, developer, document);
    const [version] = await waitFor(body.agent_id, { '1.0.0': 'rejected' });
    expect(version?.reject_reason).toContain('examples');
    expect(agent.deliveries).toHaveLength(0);
  });
});

describe('the workflow of an agent', () => {
  it('never runs twice at once, and runs once more for all triggers of a run', async () => {
    let running = 0;
    let most = 0;
    const act = async () => {
      running += 1;
      most = Math.max(most, running);
      await realTime(30, 'the agent takes a while');
      running -= 1;
      return { kind: 'echo' } as const;
    };
    agent.behave({ kind: 'acts', act });
    const { body } = await publish(market, developer, manifest());
    await eventually(async () => Promise.resolve(agent.deliveries.length > 0), 20_000);
    const path = `/v1/developer/agents/${body.agent_id}/reverify`;
    expect(await request(market, developer, 'POST', path)).toMatchObject({
      status: 409,
      body: { error: { code: 'invalid_state' } },
    });
    for (let ask = 0; ask < 5; ask += 1)
      await handle(body.agent_id).signal('trigger', { reason: 'operator' });
    await waitFor(body.agent_id, { '1.0.0': 'live' });
    await eventually(async () => {
      const state = await handle(body.agent_id).query<VerificationState>('state');
      return state.runs === 2 && state.phase === 'waiting';
    }, 20_000);
    expect(agent.deliveries).toHaveLength(2 * CALLS_OF_A_RUN);
    expect(most).toBe(1);
  });

  const inputs = () => agent.deliveries.map(({ body }) => body.toString());

  it.each<[EvidenceStage, number]>([
    ['redTeam', CALLS_OF_ATTACKS],
    ...longRows<[EvidenceStage, number]>(['dynamic', CALLS_OF_A_RUN - CALLS_OF_ATTACKS]),
  ])('repeats the calls of the stage %s alone if that stage alone fails', async (stage, share) => {
    const storage = await failStoring(market.owner, [stage], 1);
    const { body } = await publish(market, developer, manifest());
    // The stage is run twice.
    await waitFor(body.agent_id, { '1.0.0': 'live' }, 50_000);
    await storage.mend();
    const [first, again] = [inputs().slice(0, CALLS_OF_A_RUN), inputs().slice(CALLS_OF_A_RUN)];
    expect(first).toHaveLength(CALLS_OF_A_RUN);
    expect(again).toHaveLength(share);
    // Its own calls, in their order.
    expect(again).toEqual(first.filter((input) => again.includes(input)));
  });

  it('calls an agent no more after three attempts of a stage that fail', async () => {
    const storage = await failStoring(market.owner, ['redTeam'], 100);
    const { body } = await publish(market, developer, manifest());
    await eventually(async () => {
      const state = await handle(body.agent_id).query<VerificationState>('state');
      return state.lastOutcome === 'faulted';
    }, 60_000);
    await storage.mend();
    expect(inputs()).toHaveLength(CALLS_OF_A_RUN + 2 * CALLS_OF_ATTACKS);
    expect(new Set(inputs()).size).toBe(CALLS_OF_A_RUN);
  }, 90_000);

  it('can be started by its owner once an hour', async () => {
    const { body } = await publish(market, developer, manifest());
    await waitFor(body.agent_id, { '1.0.0': 'live' });
    const path = `/v1/developer/agents/${body.agent_id}/reverify`;
    expect((await request(market, developer, 'POST', path)).status).toBe(202);
    const isWaiting = async () => {
      const state = await handle(body.agent_id).query<VerificationState>('state');
      return state.runs === 2 && state.phase === 'waiting';
    };
    await eventually(isWaiting, 20_000);
    const refused = await fetch(`${market.url}${path}`, {
      method: 'POST',
      headers: { cookie: developer.cookie },
    });
    expect([refused.status, Number(refused.headers.get('retry-after')) > 3_500]).toEqual([429, true]);
    await market.owner.query(
      `UPDATE agent_reverifications SET asked_at = asked_at - interval '1 hour' WHERE agent_id = $1`,
      [body.agent_id],
    );
    expect((await request(market, developer, 'POST', path)).status).toBe(202);
  });

  itLong(
    'does not wait for slow agents of another developer',
    async () => {
      const hostile = await registerDeveloper(market);
      const slow = await startAgent();
      slow.behave({ kind: 'slow', ms: 4_000 });
      for (let at = 0; at < 14; at += 1) {
        slugs += 1;
        await publish(market, hostile, testManifest(slow.url, { agentId: `slow-${slugs}` }));
      }
      await eventually(() => Promise.resolve(slow.deliveries.length > 0), 20_000);
      const { body } = await publish(market, developer, manifest());
      await waitFor(body.agent_id, { '1.0.0': 'live' });
      await slow.stop();
    },
    60_000,
  );

  it('holds no address, body or secret in its history', async () => {
    const { body } = await publish(market, developer, manifest());
    await waitFor(body.agent_id, { '1.0.0': 'live' });
    const own = await request<{ signing_secret: string }>(
      market,
      developer,
      'GET',
      `/v1/developer/agents/${body.agent_id}`,
    );
    const { client } = market.environment;
    const run = await market.owner.query<{ run_id: string }>(
      'SELECT run_id FROM verification_runs WHERE agent_id = $1',
      [body.agent_id],
    );
    const child = client.workflow.getHandle(`verification/${body.agent_id}/${run.rows[0]?.run_id}`);
    const histories = [await handle(body.agent_id).fetchHistory(), await child.fetchHistory()];
    const text = histories
      .flatMap((history) => history.events ?? [])
      .map((event) =>
        JSON.stringify(event, (_key, value: unknown) =>
          value instanceof Uint8Array || Buffer.isBuffer(value) ? Buffer.from(value).toString() : value,
        ),
      )
      .join('\n');
    for (const stage of ['staticAnalysis', 'supplyChain', 'dynamicTesting', 'redTeam'])
      expect(text).toContain(stage);
    for (const secret of [
      new globalThis.URL(agent.url).host,
      own.body.signing_secret,
      'good morning',
      'hello',
    ]) {
      expect(text).not.toContain(secret);
    }
  });

  it('ends with the agent, and does not begin again for a retired one', async () => {
    const { body } = await publish(market, developer, manifest());
    await waitFor(body.agent_id, { '1.0.0': 'live' });
    await request(market, developer, 'POST', `/v1/developer/agents/${body.agent_id}/retire`);
    await handle(body.agent_id).signal('trigger', { reason: 'scheduled' });
    await eventually(
      async () => (await handle(body.agent_id).describe()).status.name === 'COMPLETED',
      20_000,
    );
    const listing = async (who: TestUser) =>
      (await request(market, who, 'GET', `/v1/listings/${body.agent_id}`)).status;
    expect([await listing(await register(market, 'buyer')), await listing(developer)]).toEqual([404, 409]);
  });
});

describe('a version whose verification was not requested', () => {
  it('is verified by the sweep some seconds after it was submitted', async () => {
    const { body } = await publish(market, developer, manifest(), { submit: false });
    await market.owner.query(
      `UPDATE agent_versions SET state = 'submitted', submitted_at = now() - interval '11 s' WHERE agent_id = $1`,
      [body.agent_id],
    );
    await waitFor(body.agent_id, { '1.0.0': 'live' });
  });
});
