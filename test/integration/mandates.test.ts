/** Each rule of a mandate and its proof (reference/protocols.md §3.2), as a caller meets it. */
import {
  type MandateScene,
  INPUT,
  mandateOf,
  outcomeOf,
  startMandateScene,
  useMandate,
} from '../support/mandate-scene';
import {
  budget,
  claimsOf,
  newSigner,
  nowS,
  payees,
  perCall,
  readMandate,
  registerSigner,
  signProof,
  times,
  type MandateOptions,
  type ProofOptions,
} from '../support/mandates';
import { balance, invoke, putLive } from '../support/market';
import { request } from '../support/publishing';

let scene: MandateScene;
beforeAll(async () => {
  scene = await startMandateScene();
});
afterEach(() => scene.agent.forget());
afterAll(() => scene.stop());

const INVALID = [403, 'mandate_invalid'];
const wallet = (userId: string) => balance(scene.market.owner, userId, 'wallet');

describe('whose wallet pays', () => {
  it("is the issuer's, whoever presents the mandate with a proof", async () => {
    const jws = await mandateOf(scene);
    const before = await wallet(scene.issuer.userId);
    const reply = await useMandate(scene, jws);
    expect(outcomeOf(reply)).toEqual([200, null]);
    expect(reply.body).toMatchObject({ output: INPUT, usage: { credits_charged: 10 } });
    expect(await wallet(scene.issuer.userId)).toBe(before - 1_000);
    expect(await wallet(scene.caller.userId)).toBe(0);
    const id = reply.body.invocation_id ?? '';
    const seen = await request(scene.market, scene.issuer, 'GET', `/v1/invocations/${id}`);
    expect(seen.body).toMatchObject({
      status: 'succeeded',
      evidence: { authorisation: { max_cost_credits: 1_000, mandate_jti: claimsOf(jws)['jti'] } },
    });
  });

  it('leaves no mandate in the receipt of a call without one', async () => {
    const reply = await invoke(scene.market, scene.buyer, scene.agentId, { input: INPUT });
    const seen = await request(
      scene.market,
      scene.buyer,
      'GET',
      `/v1/invocations/${reply.body.invocation_id}`,
    );
    expect(seen.body).toMatchObject({ evidence: { authorisation: { max_cost_credits: null } } });
    expect(JSON.stringify(seen.body)).not.toContain('mandate_jti');
  });

  it('needs no proof when the issuer itself is the caller, for its agent or for itself', async () => {
    const { issuer } = scene;
    for (const subject of [scene.writerId, issuer.userId]) {
      const jws = await mandateOf(scene, { subject });
      expect(outcomeOf(await useMandate(scene, jws, { who: issuer, proof: null }))).toEqual([200, null]);
      expect(await readMandate(scene.market, issuer, String(claimsOf(jws)['jti']))).toMatchObject({
        status: 'active',
        spent_credits: 10,
        reserved_credits: 0,
        remaining_credits: 90,
        occurrences: 1,
      });
    }
  });

  it('takes a mandate without cnf and nbf from its issuer, and from nobody else', async () => {
    const bare = await mandateOf(scene, { claims: { cnf: undefined, nbf: undefined } });
    expect(outcomeOf(await useMandate(scene, bare, { who: scene.issuer, proof: null }))).toEqual([200, null]);
    expect(outcomeOf(await useMandate(scene, bare))).toEqual(INVALID);
  });
});

describe('a mandate is refused', () => {
  const origin = () => scene.market.config.PUBLIC_ORIGIN;
  const changed: [string, (now: number) => Partial<MandateOptions>][] = [
    [
      'with a critical extension in its header',
      () => ({ header: { alg: 'ES256', b64: true, crit: ['b64'] } }),
    ],
    ['of another type', () => ({ header: { typ: 'JWT' } })],
    ['without a type', () => ({ header: { typ: undefined } })],
    ['without a kid', () => ({ header: { kid: undefined } })],
    ['with a kid that nobody registered', () => ({ header: { kid: 'A'.repeat(43) } })],
    ['with a key in its header', () => ({ header: { jwk: scene.signer.jwk } })],
    ['with the address of keys in its header', () => ({ header: { jku: 'https://keys.example/jwks.json' } })],
    ['without iss', () => ({ claims: { iss: undefined } })],
    ['of an https issuer', () => ({ claims: { iss: 'https://issuer.example' } })],
    ['of an account that does not exist', () => ({ claims: { iss: `usr_${'0'.repeat(32)}` } })],
    ['of an account that did not sign it', () => ({ claims: { iss: scene.buyer.userId } })],
    ['without sub', () => ({ claims: { sub: undefined } })],
    ['for an agent of somebody else', () => ({ subject: scene.agentId })],
    ['for an agent that does not exist', () => ({ subject: 'agt_nobody_v1' })],
    ['for another account', () => ({ subject: scene.caller.userId })],
    ['without aud', () => ({ claims: { aud: undefined } })],
    ['for another marketplace', () => ({ claims: { aud: 'https://other.example' } })],
    ['for this marketplace and another', () => ({ claims: { aud: [origin(), 'https://other.example'] } })],
    ['without jti', () => ({ claims: { jti: undefined } })],
    ['with a jti of another form', () => ({ claims: { jti: 'mandate 1' } })],
    ['with a jti of a thousand characters', () => ({ claims: { jti: `mdt_${'a'.repeat(1_000)}` } })],
    ['without iat', () => ({ claims: { iat: undefined } })],
    ['issued in two minutes', (now) => ({ claims: { iat: now + 120 } })],
    ['without exp', () => ({ claims: { exp: undefined } })],
    ['that expired 61 seconds ago', (now) => ({ claims: { iat: now - 600, nbf: now - 600, exp: now - 61 } })],
    ['with a text as exp', () => ({ claims: { exp: '2099-01-01' } })],
    ['that lives for longer than 31 days', (now) => ({ claims: { exp: now + 31 * 86_400 + 1 } })],
    ['that is valid in two minutes', (now) => ({ claims: { nbf: now + 120 } })],
    ['with another vct', () => ({ claims: { vct: `${origin()}/vct/a2a.spend.open.2` } })],
    ['with the vct of a delegated one', () => ({ claims: { vct: `${origin()}/vct/a2a.spend.delegated.1` } })],
    ['with undisclosed claims', () => ({ claims: { _sd: ['x'] } })],
    ['without constraints', () => ({ claims: { constraints: undefined } })],
    ['without a budget', () => ({ constraints: [perCall(10)] })],
    [
      'with an unknown constraint',
      () => ({ constraints: [budget(100), { type: 'payment.execution_date' }] }),
    ],
    ['with a constraint without a type', () => ({ constraints: [budget(100), { max_credits: 1 }] })],
    ['with a member more in a constraint', () => ({ constraints: [{ ...budget(100), currency: 'EUR' }] })],
    ['with two budgets', () => ({ constraints: [budget(100), budget(1_000)] })],
    ['with a budget of half a credit', () => ({ constraints: [budget(0.5)] })],
    ['with a budget as text', () => ({ constraints: [{ ...budget(1), max_credits: '100' }] })],
    ['with a negative limit of one call', () => ({ constraints: [budget(100), perCall(-1)] })],
    ['with another frequency', () => ({ constraints: [budget(100), { ...times(5), frequency: 'DAILY' }] })],
    ['with an empty list of payees', () => ({ constraints: [budget(100), payees()] })],
    ['that allows other agents only', () => ({ constraints: [budget(100), payees('agt_other_v1')] })],
    ['with a private key as cnf', () => ({ claims: { cnf: { jwk: { ...scene.holder.jwk, d: 'x' } } } })],
    [
      'with a cnf that is no point',
      () => ({ claims: { cnf: { jwk: { ...scene.holder.jwk, x: 'A'.repeat(43) } } } }),
    ],
  ];

  it.each(changed)('%s', async (_what, change) => {
    const jws = await mandateOf(scene, change(nowS()));
    const reply = await useMandate(scene, jws);
    expect(outcomeOf(reply)).toEqual(INVALID);
    expect(reply.body.error?.message).toMatch(/\.$/);
    expect(scene.agent.deliveries).toHaveLength(0);
  });

  it('when a byte of it was changed', async () => {
    const jws = await mandateOf(scene);
    const [header = '', payload = '', signature = ''] = jws.split('.');
    const richer = { ...claimsOf(jws), constraints: [budget(1_000_000)] };
    const forged = [
      `${header}.${Buffer.from(JSON.stringify(richer)).toString('base64url')}.${signature}`,
      `${header}.${payload}.${'A'.repeat(86)}`,
      `${header}.${payload}.`,
      `${Buffer.from('{"alg":"none","typ":"mandate+jwt"}').toString('base64url')}.${payload}.`,
      'x.y.z',
      '',
    ];
    for (const text of forged) expect(outcomeOf(await useMandate(scene, text))).toEqual(INVALID);
  });

  it('when it was signed with the key of another account', async () => {
    const thief = await registerSigner(scene.market, scene.buyer);
    expect(outcomeOf(await useMandate(scene, await mandateOf(scene, { signer: thief })))).toEqual(INVALID);
  });

  it('with 422 when the field is of another form', async () => {
    const jws = await mandateOf(scene);
    const forms = [
      { jws },
      { type: 'a2a.spend.v2', jws },
      { type: 'a2a.spend.v1', jws, budget: 1 },
      'mandate',
      null,
    ];
    for (const mandate of forms) {
      const reply = await invoke(scene.market, scene.caller, scene.agentId, { input: INPUT, mandate });
      expect(outcomeOf(reply)).toEqual([422, 'validation_failed']);
    }
  });
});

it('allows a minute of difference between clocks, and 31 days of life', async () => {
  const now = nowS();
  for (const claims of [
    { iat: now + 50, nbf: now + 50 },
    { iat: now - 600, nbf: now - 600, exp: now - 50 },
    { exp: now + 31 * 86_400 },
  ]) {
    expect(outcomeOf(await useMandate(scene, await mandateOf(scene, { claims })))).toEqual([200, null]);
  }
});

describe('a proof is refused', () => {
  const otherHash = 'A'.repeat(43);
  const changed: [string, (now: number) => Partial<ProofOptions>][] = [
    ['of another type', () => ({ header: { typ: 'mandate+jwt' } })],
    ['with a foreign kid', () => ({ header: { kid: 'A'.repeat(43) } })],
    ['with a key in its header', () => ({ header: { jwk: scene.holder.jwk } })],
    [
      'for the marketplace instead of the agent',
      () => ({ claims: { aud: scene.market.config.PUBLIC_ORIGIN } }),
    ],
    ['for another mandate', () => ({ claims: { mandate_hash: otherHash } })],
    ['for another request', () => ({ claims: { request_hash: otherHash } })],
    ['without a hash of the request', () => ({ claims: { request_hash: undefined } })],
    ['without jti', () => ({ claims: { jti: undefined } })],
    ['without iat', () => ({ claims: { iat: undefined } })],
    ['made in two minutes', (now) => ({ claims: { iat: now + 120 } })],
    ['made before its mandate', (now) => ({ claims: { iat: now - 600 } })],
    ['that has expired', (now) => ({ claims: { exp: now - 61 } })],
    ['without max_credits', () => ({ claims: { max_credits: undefined } })],
    ['with half a credit', () => ({ claims: { max_credits: 10.5 } })],
    [
      'for another agent',
      () => ({ claims: { aud: `${scene.market.config.PUBLIC_ORIGIN}/v1/a2a/agt_other_v1` } }),
    ],
  ];

  it.each(changed)('%s', async (_what, change) => {
    const jws = await mandateOf(scene);
    const options = { jws, holder: scene.holder, agentId: scene.agentId, input: INPUT, ...change(nowS()) };
    const proof = await signProof(scene.market, options);
    expect(outcomeOf(await useMandate(scene, jws, { proof }))).toEqual(INVALID);
    expect(scene.agent.deliveries).toHaveLength(0);
  });

  it('when the input, the key or the agent is another, or somebody else signed it', async () => {
    const jws = await mandateOf(scene);
    const made = { jws, holder: scene.holder, agentId: scene.agentId, input: INPUT };
    const proof = await signProof(scene.market, made);
    const keyed = await signProof(scene.market, { ...made, idempotencyKey: 'order-7' });
    const other = await putLive(scene.market, scene.developer.userId, scene.agent.url);
    const foreign = await signProof(scene.market, { ...made, holder: await newSigner() });
    expect(outcomeOf(await useMandate(scene, jws, { proof, input: { text: 'more' } }))).toEqual(INVALID);
    expect(outcomeOf(await useMandate(scene, jws, { proof, idempotencyKey: 'order-7' }))).toEqual(INVALID);
    expect(outcomeOf(await useMandate(scene, jws, { proof: keyed, idempotencyKey: 'order-8' }))).toEqual(
      INVALID,
    );
    expect(outcomeOf(await useMandate(scene, jws, { proof, agentId: other.agentId }))).toEqual(INVALID);
    expect(outcomeOf(await useMandate(scene, jws, { proof: foreign }))).toEqual(INVALID);
    expect(outcomeOf(await useMandate(scene, jws, { proof: null }))).toEqual(INVALID);
    expect(scene.agent.deliveries).toHaveLength(0);
    expect(outcomeOf(await useMandate(scene, jws, { proof }))).toEqual([200, null]);
  });
});
