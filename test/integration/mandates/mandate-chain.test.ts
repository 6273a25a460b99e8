/** Delegation: agents that call onward hand on narrower mandates, and every mandate above pays with them. */
import type { Delivery } from '../../support/agents/behaviours';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import {
  mandateOf,
  outcomeOf,
  startMandateScene,
  useMandate,
  type MandateScene,
} from '../../support/mandates/mandate-scene';
import {
  base64Hash,
  budget,
  claimsOf,
  type MandateOptions,
  newJti,
  newSigner,
  nowS,
  payees,
  perCall,
  readMandate,
  type Signer,
  signMandate,
  times,
} from '../../support/mandates/mandates';
import { type InvokeReply, putLive, register, type TestUser } from '../../support/market';
import { request } from '../../support/catalogue/publishing';

const INVALID = [403, 'mandate_invalid'];
const EXCEEDED = [402, 'mandate_exceeded'];

let scene: MandateScene;
/** The next agent of the chain: its key, and the developer who runs it. */
let next: { agentId: string; holder: Signer; developer: TestUser };

beforeAll(async () => {
  scene = await startMandateScene();
  const developer = await register(scene.market, 'developer');
  const live = await putLive(scene.market, developer.userId, scene.agent.url);
  next = { agentId: live.agentId, holder: await newSigner(), developer };
});
afterEach(() => scene.agent.forget());
afterAll(() => scene.stop());

/** The scene's writer delegates to the next agent. */
function delegate(parent: string, options: Partial<MandateOptions> = {}): Promise<string> {
  const { market, writerId, holder } = scene;
  const { exp } = claimsOf(parent);
  const names = { issuer: writerId, subject: next.agentId, signer: holder, holder: next.holder };
  const constraints = [budget(50)];
  return signMandate(market, {
    ...names,
    constraints,
    parent,
    ...options,
    claims: { exp, ...options.claims },
  });
}

const useDelegated = (parents: string[], jws: string, more: object = {}) =>
  useMandate(scene, jws, { parents, holder: next.holder, who: next.developer, ...more });

it('pays from the same wallet, counted on every mandate above', async () => {
  const root = await mandateOf(scene);
  const sub = await delegate(root);
  expect(outcomeOf(await useDelegated([root], sub))).toEqual([200, null]);
  expect(outcomeOf(await useMandate(scene, root))).toEqual([200, null]);
  const list = await request<{ items: { mandate_id: string; jti: string }[] }>(
    scene.market,
    scene.issuer,
    'GET',
    '/v1/mandates',
  );
  const row = list.body.items.find(({ jti }) => jti === claimsOf(sub)['jti']);
  expect(row).toMatchObject({
    parent_mandate_id: claimsOf(root)['jti'],
    depth: 2,
    subject: next.agentId,
    spent_credits: 10,
    remaining_credits: 40,
  });
  const above = await readMandate(scene.market, scene.issuer, String(claimsOf(root)['jti']));
  expect(above).toMatchObject({ depth: 1, spent_credits: 20, remaining_credits: 80, occurrences: 2 });
});

it('ends with the budget of the mandate above, however many were delegated from it', async () => {
  const root = await mandateOf(scene, { constraints: [budget(35)] });
  const subs = await Promise.all(
    Array.from({ length: 5 }, () => delegate(root, { constraints: [budget(30)] })),
  );
  const calls = subs.flatMap((sub) => [useDelegated([root], sub), useDelegated([root], sub)]);
  const replies = await Promise.all(calls);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(replies.filter(({ body }) => body.error?.code === 'mandate_exceeded')).toHaveLength(7);
  const above = await readMandate(scene.market, scene.issuer, String(claimsOf(root)['jti']));
  expect(above).toMatchObject({ spent_credits: 30, remaining_credits: 5, occurrences: 3 });
});

it('ends with its own budget before that of the one above', async () => {
  const root = await mandateOf(scene);
  const sub = await delegate(root, { constraints: [budget(10)] });
  expect(outcomeOf(await useDelegated([root], sub))).toEqual([200, null]);
  expect(outcomeOf(await useDelegated([root], sub))).toEqual(EXCEEDED);
  expect(outcomeOf(await useMandate(scene, root))).toEqual([200, null]);
});

describe('a delegated mandate is refused', () => {
  const wide = [budget(100), perCall(50), times(5), payees('agt_a_v1', 'agt_b_v1')];
  const narrow = () => [budget(50), perCall(20), times(2), payees(scene.agentId)];
  const rootOf = () =>
    mandateOf(scene, { constraints: [...wide.slice(0, 3), payees(scene.agentId, 'agt_a_v1')] });

  it('only if a limit is wider than above', async () => {
    const root = await rootOf();
    expect(outcomeOf(await useDelegated([root], await delegate(root, { constraints: narrow() })))).toEqual([
      200,
      null,
    ]);
  });

  const changed: [string, (now: number) => Partial<MandateOptions>][] = [
    ['with a larger budget', () => ({ constraints: [budget(101), ...narrow().slice(1)] })],
    [
      'with a larger limit of one call',
      () => ({ constraints: [budget(50), perCall(51), ...narrow().slice(2)] }),
    ],
    ['without the limit of one call', () => ({ constraints: [budget(50), ...narrow().slice(2)] })],
    ['for more calls', () => ({ constraints: [budget(50), perCall(20), times(6), payees(scene.agentId)] })],
    ['for any number of calls', () => ({ constraints: [budget(50), perCall(20), payees(scene.agentId)] })],
    [
      'for another payee',
      () => ({ constraints: [...narrow().slice(0, 3), payees(scene.agentId, 'agt_c_v1')] }),
    ],
    ['for any payee', () => ({ constraints: narrow().slice(0, 3) })],
    ['that lives longer', (now) => ({ claims: { exp: now + 7_200 } })],
    ['that begins earlier', (now) => ({ claims: { iat: now - 600, nbf: now - 600 } })],
    ['issued by somebody else', () => ({ issuer: next.agentId })],
    ['of another mandate', () => ({ claims: { parent_hash: base64Hash('another') } })],
    ['that names none above it', () => ({ claims: { parent_hash: undefined } })],
    ['for an agent that does not exist', () => ({ subject: 'agt_nobody_v1' })],
    [
      'with the vct of an open one',
      () => ({ claims: { vct: `${scene.market.config.PUBLIC_ORIGIN}/vct/a2a.spend.open.1` } }),
    ],
    ['signed by the next agent instead of this one', () => ({ signer: next.holder })],
    ["signed with the account's key", () => ({ signer: scene.signer })],
    ['with the kid of another key', () => ({ header: { kid: next.holder.kid } })],
    ['with an unknown constraint', () => ({ constraints: [...narrow(), { type: 'payment.location' }] })],
  ];
  it.each(changed)('%s', async (_what, change) => {
    const root = await rootOf();
    const sub = await delegate(root, { constraints: narrow(), ...change(nowS()) });
    expect(outcomeOf(await useDelegated([root], sub))).toEqual(INVALID);
    expect(scene.agent.deliveries).toHaveLength(0);
  });

  it('without the mandates above it, in another order, or below one without a key', async () => {
    const root = await mandateOf(scene);
    const sub = await delegate(root);
    const bare = await mandateOf(scene, { claims: { cnf: undefined } });
    expect(outcomeOf(await useDelegated([], sub))).toEqual(INVALID);
    expect(outcomeOf(await useDelegated([sub], root))).toEqual(INVALID);
    expect(outcomeOf(await useDelegated([root, root], sub))).toEqual(INVALID);
    expect(outcomeOf(await useDelegated([bare], await delegate(bare)))).toEqual(INVALID);
    expect(outcomeOf(await useDelegated([root], sub, { holder: scene.holder }))).toEqual(INVALID);
    expect(outcomeOf(await useDelegated([root], sub, { proof: null }))).toEqual(INVALID);
  });

  it('when the mandate above it, or it alone, was revoked', async () => {
    const [first, second] = [await mandateOf(scene), await mandateOf(scene)];
    const revoke = (id: string) =>
      fetch(`${scene.market.url}/v1/mandates/${id}`, {
        method: 'DELETE',
        headers: { cookie: scene.issuer.cookie },
      });
    const [below, other] = [await delegate(first), await delegate(second)];
    expect(outcomeOf(await useDelegated([first], below))).toEqual([200, null]);
    await revoke(String(claimsOf(first)['jti']));
    expect(outcomeOf(await useDelegated([first], below))).toEqual(INVALID);
    expect(outcomeOf(await useDelegated([second], other))).toEqual([200, null]);
    const list = await request<{ items: { mandate_id: string; jti: string; status: string }[] }>(
      scene.market,
      scene.issuer,
      'GET',
      '/v1/mandates',
    );
    const statusOf = (jws: string) => list.body.items.find(({ jti }) => jti === claimsOf(jws)['jti'])?.status;
    expect([statusOf(first), statusOf(below), statusOf(other)]).toEqual(['revoked', 'revoked', 'active']);
    const row = list.body.items.find(({ jti }) => jti === claimsOf(other)['jti']);
    await revoke(row?.mandate_id ?? '');
    expect(outcomeOf(await useDelegated([second], other))).toEqual(INVALID);
    expect(outcomeOf(await useMandate(scene, second))).toEqual([200, null]);
  });

  it("cannot take the name of an account's own mandate", async () => {
    const [root, own] = [await mandateOf(scene), await mandateOf(scene)];
    const squatter = await delegate(root, { claims: { jti: claimsOf(own)['jti'] } });
    expect(outcomeOf(await useDelegated([root], squatter))).toEqual([200, null]);
    expect(outcomeOf(await useMandate(scene, own))).toEqual([200, null]);
  });
});

describe('a chain of agents', () => {
  interface Station {
    agentId: string;
    holder: Signer;
    developer: TestUser;
    server: TestAgent;
  }
  /** The input with which an agent calls the next one. */
  interface Baton {
    chain: string[];
  }
  const replies: InvokeReply[] = [];
  const stations: Station[] = [];
  afterAll(() => Promise.all(stations.map(({ server }) => server.stop())));

  /** Agent `n` calls the next one, and hands on a mandate that is one credit narrower. */
  async function callOnward(n: number, chain: string[], holder: Signer, who: TestUser): Promise<void> {
    const station = stations[n];
    if (!station) return;
    const jws = chain.at(-1) ?? '';
    const { sub, exp } = claimsOf(jws);
    const handed = await signMandate(scene.market, {
      issuer: String(sub),
      subject: station.agentId,
      signer: holder,
      holder: station.holder,
      constraints: [budget(99 - n)],
      parent: jws,
      claims: { exp, jti: newJti() },
    });
    const baton: Baton = { chain: [...chain, handed] };
    const input = { text: JSON.stringify(baton) };
    const { agentId } = station;
    const reply = await useMandate(scene, jws, { parents: chain.slice(0, -1), holder, agentId, input, who });
    replies.push(reply);
  }

  it('goes five calls deep and no deeper, all paid by the account at its top', async () => {
    for (let n = 0; n < 6; n += 1) {
      const developer = await register(scene.market, 'developer');
      const holder = await newSigner();
      const act = async ({ body }: Delivery) => {
        const { chain } = JSON.parse((JSON.parse(body.toString()) as { text: string }).text) as Baton;
        await callOnward(n + 1, chain, holder, developer);
        return { kind: 'echo' } as const;
      };
      const server = await startAgent({ behaviour: { kind: 'acts', act } });
      const { agentId } = await putLive(scene.market, developer.userId, server.url, { timeoutMs: 30_000 });
      stations.push({ agentId, holder, developer, server });
    }
    const root = await mandateOf(scene);
    await callOnward(0, [root], scene.holder, scene.caller);
    expect(replies.map(outcomeOf)).toEqual([
      [429, 'a2a_depth_exceeded'],
      ...Array.from({ length: 5 }, () => [200, null]),
    ]);
    expect(replies[0]?.headers.get('retry-after')).not.toBeNull();
    const above = await readMandate(scene.market, scene.issuer, String(claimsOf(root)['jti']));
    expect(above).toMatchObject({ spent_credits: 50, occurrences: 5 });
    const id = replies[1]?.body.invocation_id ?? '';
    const deepest = await request(scene.market, scene.issuer, 'GET', `/v1/invocations/${id}`);
    expect(deepest.body).toMatchObject({
      evidence: { authorisation: { mandate_jti: claimsOf(root)['jti'] } },
    });
  });
});
