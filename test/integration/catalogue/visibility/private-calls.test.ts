/** Calls, quotes, mandates, changes of listings and later versions of agents that are not public (ADR 0384). */
import { MOST_IN_AUDIENCE } from '../../../../src/domain/catalogue/agent-state';
import { insertAgent } from '../../../../src/stores/catalogue/agents';
import { listChangesAfter, readLastChangeId } from '../../../../src/stores/catalogue/listing-changes';
import { request } from '../../../support/catalogue/publishing';
import {
  INPUT,
  mandateOf,
  outcomeOf,
  startMandateScene,
  useMandate,
} from '../../../support/mandates/mandate-scene';
import type { MandateScene } from '../../../support/mandates/mandate-scene';
import { budget, claimsOf, signMandate } from '../../../support/mandates/mandates';
import { invoke, putLive, putVersion, register, type TestUser } from '../../../support/market';
import { cleanEvidence } from '../../../support/verification/run-evidence';
import { holdTier, runWith } from '../../../support/verification/trust';

let scene: MandateScene;
let stranger: TestUser;

beforeAll(async () => {
  scene = await startMandateScene();
  stranger = await register(scene.market, 'buyer', 1_000);
});
afterEach(() => scene.agent.behave({ kind: 'echo' }));
afterAll(() => scene.stop());

const asOwner = <T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  who = scene.developer,
) => request<T>(scene.market, who, method, `/v1/developer/agents/${path}`, body);
const become = (agentId: string, visibility: string) =>
  asOwner('PATCH', `${agentId}/visibility`, { visibility });
const show = (agentId: string, ...accounts: string[]) => asOwner('POST', `${agentId}/audience`, { accounts });
const hide = async (agentId: string, account: string) =>
  fetch(`${scene.market.url}/v1/developer/agents/${agentId}/audience/${account}`, {
    method: 'DELETE',
    headers: { cookie: scene.developer.cookie },
  });
const live = (url = scene.agent.url) => putLive(scene.market, scene.developer.userId, url, { credits: 10 });
const NOT_FOUND = [404, 'not_found'];

async function privateAgent(...accounts: string[]): Promise<string> {
  const { agentId } = await live();
  if (accounts.length > 0) await show(agentId, ...accounts);
  await become(agentId, 'private');
  return agentId;
}

describe('calls', () => {
  it('are decided by the statement that accepts them, also where the version was read before', async () => {
    const { market, buyer } = scene;
    const { agentId } = await live();
    expect(outcomeOf(await invoke(market, buyer, agentId, { input: INPUT }))).toEqual([200, null]);
    expect(outcomeOf(await invoke(market, stranger, agentId, { input: INPUT }))).toEqual([200, null]);
    await show(agentId, buyer.userId);
    await become(agentId, 'private');
    expect(outcomeOf(await invoke(market, stranger, agentId, { input: INPUT }))).toEqual(NOT_FOUND);
    expect(outcomeOf(await invoke(market, stranger, agentId, { input: { text: 5 } }))).toEqual(NOT_FOUND);
    expect(outcomeOf(await invoke(market, buyer, agentId, { input: INPUT }))).toEqual([200, null]);
  });

  it('end as they began when the agent becomes private meanwhile, and stay in the list of their buyer', async () => {
    const { market, agent } = scene;
    const { agentId } = await live();
    let release: (value?: unknown) => void = () => undefined;
    const until = new Promise((resolve) => (release = resolve));
    agent.forget();
    agent.behave({ kind: 'waits', until });
    const body = { input: INPUT, idempotency_key: 'before' };
    const running = invoke(market, stranger, agentId, body);
    await agent.waitForDeliveries(1);
    await become(agentId, 'private');
    release();
    const ended = await running;
    expect(outcomeOf(ended)).toEqual([200, null]);
    const { invocation_id: id } = ended.body;
    const own = await request<{ agent_id: string }>(market, stranger, 'GET', `/v1/invocations/${id}`);
    expect([own.status, own.body.agent_id]).toEqual([200, agentId]);
    expect((await invoke(market, stranger, agentId, body)).body.invocation_id).toBe(id);
    const next = { input: INPUT, idempotency_key: 'after' };
    expect(outcomeOf(await invoke(market, stranger, agentId, next))).toEqual(NOT_FOUND);
  });

  it('by a quote are refused to an account that lost access', async () => {
    const { market, buyer } = scene;
    const agentId = await privateAgent(buyer.userId);
    const quote = await request<{ quote_id: string }>(market, buyer, 'POST', `/v1/agents/${agentId}/quote`, {
      input: INPUT,
    });
    expect(quote.status).toBe(200);
    expect((await hide(agentId, buyer.userId)).status).toBe(204);
    const body = { input: INPUT, quote_id: quote.body.quote_id };
    expect(outcomeOf(await invoke(market, buyer, agentId, body))).toEqual(NOT_FOUND);
  });

  it('under a mandate need both the caller and the issuer in the audience', async () => {
    const { caller, issuer } = scene;
    const agentId = await privateAgent();
    const jws = await mandateOf(scene);
    const use = () => useMandate(scene, jws, { agentId });
    expect(outcomeOf(await use())).toEqual(NOT_FOUND);
    await show(agentId, caller.userId);
    expect(outcomeOf(await use())).toEqual(NOT_FOUND);
    await show(agentId, issuer.userId);
    expect(outcomeOf(await use())).toEqual([200, null]);
    await hide(agentId, caller.userId);
    expect(outcomeOf(await use())).toEqual(NOT_FOUND);
  });

  it('are refused alike under a mandate delegated to a private agent and to a missing one', async () => {
    const { writerId, holder, market } = scene;
    const root = await mandateOf(scene);
    const agentId = await privateAgent();
    const refusal = async (subject: string) => {
      const names = { issuer: writerId, subject, signer: holder, holder };
      const { exp } = claimsOf(root);
      const jws = await signMandate(market, {
        ...names,
        parent: root,
        constraints: [budget(50)],
        claims: { exp },
      });
      return (await useMandate(scene, jws, { parents: [root] })).body.error;
    };
    expect(await refusal(agentId)).toEqual(await refusal('agt_there_is_none_v1'));
    await show(agentId, scene.caller.userId);
    expect(await refusal(agentId)).toBeUndefined();
  });

  it('by the tool of a pinned agent are as those of an agent that is not live', async () => {
    const { market, buyer } = scene;
    const agentId = await privateAgent();
    const pins = await market.container.servingVersions.ofPins(buyer.userId, 'key_none');
    expect(pins).toEqual([]);
    const { rows } = await market.owner.query<{ shown: boolean }>(
      'SELECT agent_shown_to(agent_id, developer_user_id, NULL) AS shown FROM agents WHERE agent_id = $1',
      [agentId],
    );
    expect(rows).toEqual([{ shown: false }]);
  });
});

describe('the badge and the changes of listings', () => {
  it('show a verified private agent to its audience, and nothing to others', async () => {
    const { market, buyer, developer } = scene;
    const { agentId, versionId } = await live();
    await holdTier(market, developer.userId, 'standard');
    await become(agentId, 'private');
    await show(agentId, buyer.userId);
    const before = await readLastChangeId(market.owner);
    await runWith(market, { agentId, versionId }, cleanEvidence());
    const changes = await listChangesAfter(market.owner, before, 100);
    expect(changes.filter((change) => change.agentId === agentId)).toEqual([]);
    const seen = await request(market, buyer, 'GET', `/v1/listings/${agentId}`);
    expect(seen.body).toMatchObject({ badge: 'standard', trust_score: 100, visibility: 'private' });
    expect((await request(market, buyer, 'GET', `/v1/agents/${agentId}/trust-report`)).body).toMatchObject({
      score: 100,
      badge: 'standard',
    });
    expect((await request(market, stranger, 'GET', `/v1/agents/${agentId}/trust-report`)).status).toBe(404);
    const own = await asOwner('GET', `${agentId}/visibility`);
    expect(own.body).toMatchObject({ visibility: 'private', audience: 1, listed: false });
  });

  it('keep of a former listing only that it is gone, and do not notify the owner of the own decision', async () => {
    const { market, developer } = scene;
    const { agentId, versionId } = await live();
    await holdTier(market, developer.userId, 'standard');
    const before = await readLastChangeId(market.owner);
    await runWith(market, { agentId, versionId }, cleanEvidence());
    const changesOf = async () =>
      (await listChangesAfter(market.owner, before, 100)).filter((change) => change.agentId === agentId);
    expect(await changesOf()).toMatchObject([{ listed: true, badge: 'standard', trustScore: 100 }]);
    await become(agentId, 'private');
    expect(await changesOf()).toMatchObject([{ listed: false, badge: null, trustScore: null }]);
    await become(agentId, 'public');
    expect((await changesOf()).map(({ listed }) => listed)).toEqual([true, false, true]);
    const { rows } = await market.owner.query<{ type: string }>(
      `SELECT type FROM account_notices WHERE agent_id = $1 AND type IN ('agent.delisted', 'agent.relisted')`,
      [agentId],
    );
    expect(rows).toEqual([]);
  });
});

describe('visibility', () => {
  it('and audience pass on to the next major version of the name', async () => {
    const { market, buyer, developer } = scene;
    const agentId = await privateAgent(buyer.userId);
    const next = agentId.replace(/_v1$/, '_v2');
    const slug = agentId.slice('agt_'.length, -'_v1'.length).replaceAll('_', '-');
    await insertAgent(market.owner, {
      agentId: next,
      slug,
      major: 2,
      developerUserId: developer.userId,
      sealedSigningSecret: Buffer.from('sealed'),
    });
    await putVersion(market, next, scene.agent.url, { version: '2.0.0' });
    expect((await request(market, stranger, 'GET', `/v1/listings/slug/${slug}`)).status).toBe(404);
    expect((await request(market, buyer, 'GET', `/v1/listings/slug/${slug}`)).body).toMatchObject({
      agent_id: next,
    });
    await become(next, 'public');
    const seen = await request(market, stranger, 'GET', `/v1/listings/slug/${slug}`);
    expect(seen.body).toMatchObject({ agent_id: next, visibility: 'public' });
    await become(agentId, 'public');
    await become(next, 'private');
    expect((await request(market, stranger, 'GET', `/v1/listings/slug/${slug}`)).body).toMatchObject({
      agent_id: agentId,
    });
  });

  it('takes an audience of 1,000 accounts, and no more', async () => {
    const { market } = scene;
    const { agentId } = await live();
    const { rows } = await market.owner.query<{ user_id: string }>(
      `INSERT INTO users (user_id, email, display_name, password_hash, role)
       SELECT 'usr_' || md5('member' || n), 'member' || n || '@example.test', 'Member', 'none', 'buyer'
         FROM generate_series(1, $1) n RETURNING user_id`,
      [MOST_IN_AUDIENCE],
    );
    const accounts = rows.map(({ user_id }) => user_id);
    expect((await show(agentId, ...accounts)).body).toMatchObject({ audience: MOST_IN_AUDIENCE });
    expect((await show(agentId, ...accounts)).body).toMatchObject({ audience: MOST_IN_AUDIENCE });
    const more = await show(agentId, stranger.userId);
    expect([more.status, more.body.error?.code]).toEqual([409, 'invalid_state']);
    const pages = await asOwner<{ items: object[]; total: number; next_cursor: string }>(
      'GET',
      `${agentId}/audience?limit=100`,
    );
    expect(pages.body).toMatchObject({ total: MOST_IN_AUDIENCE });
    expect(pages.body.items).toHaveLength(100);
  });

  it('refuses accounts that do not exist, all or none, and leaves out the owner', async () => {
    const { buyer, developer } = scene;
    const { agentId } = await live();
    const unknown = `usr_${'0'.repeat(32)}`;
    const refused = await show(agentId, buyer.userId, unknown, 'dev_there-is-none');
    expect(refused.status).toBe(422);
    expect(refused.body.detail?.map(({ loc }) => loc)).toEqual([
      ['body', 'accounts', 1],
      ['body', 'accounts', 2],
    ]);
    expect((await show(agentId, developer.userId)).body).toMatchObject({ audience: 0 });
    expect((await hide(agentId, buyer.userId)).status).toBe(404);
    expect((await asOwner('PATCH', `${agentId}/visibility`, { visibility: 'secret' })).status).toBe(422);
    await asOwner('POST', `${agentId}/retire`);
    expect((await become(agentId, 'private')).body.error?.code).toBe('invalid_state');
  });
});
