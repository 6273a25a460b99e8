/** Each rule of a mandate (docs/mandates.md), as a caller meets it. */
import {
  type MandateScene,
  INPUT,
  mandateOf,
  outcomeOf,
  startMandateScene,
  useMandate,
} from '../../support/mandates/mandate-scene';
import {
  budget,
  claimsOf,
  nowS,
  payees,
  perCall,
  readMandate,
  registerSigner,
  times,
  type MandateOptions,
} from '../../support/mandates/mandates';
import { balance, invoke } from '../../support/market';
import { request } from '../../support/catalogue/publishing';

let scene: MandateScene;
beforeAll(async () => {
  scene = await startMandateScene();
});
afterEach(() => scene.agent.forget());
afterAll(() => scene.stop());

const INVALID = [403, 'mandate_invalid'];
const wallet = (userId: string) => balance(scene.market.owner, userId, 'wallet');

describe('whose wallet pays', () => {
  it('is the issuer’s, for every caller with the mandate and a proof', async () => {
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

  it('accepts a mandate without cnf and nbf from its issuer only', async () => {
    const bare = await mandateOf(scene, { claims: { cnf: undefined, nbf: undefined } });
    expect(outcomeOf(await useMandate(scene, bare, { who: scene.issuer, proof: null }))).toEqual([200, null]);
    expect(outcomeOf(await useMandate(scene, bare))).toEqual(INVALID);
  });
});

describe('a mandate is refused', () => {
  const origin = () => scene.market.config.PUBLIC_ORIGIN;
  const changed: [string, (now: number) => Partial<MandateOptions>, reason: string][] = [
    [
      'with a critical extension in its header',
      () => ({ header: { alg: 'ES256', b64: true, crit: ['b64'] } }),
      'not a JWS with alg ES256',
    ],
    ['of another type', () => ({ header: { typ: 'JWT' } }), 'not a JWS with alg ES256'],
    ['without a type', () => ({ header: { typ: undefined } }), 'not a JWS with alg ES256'],
    ['without a kid', () => ({ header: { kid: undefined } }), 'not signed with a key'],
    [
      'with a kid that nobody registered',
      () => ({ header: { kid: 'A'.repeat(43) } }),
      'not signed with a key',
    ],
    ['with a key in its header', () => ({ header: { jwk: scene.signer.jwk } }), 'not a JWS with alg ES256'],
    [
      'with the address of keys in its header',
      () => ({ header: { jku: 'https://keys.example/jwks.json' } }),
      'not a JWS with alg ES256',
    ],
    ['without iss', () => ({ claims: { iss: undefined } }), 'not signed with a key'],
    ['of an https issuer', () => ({ claims: { iss: 'https://issuer.example' } }), 'not signed with a key'],
    [
      'of an account that does not exist',
      () => ({ claims: { iss: `usr_${'0'.repeat(32)}` } }),
      'not signed with a key',
    ],
    [
      'of an account that did not sign it',
      () => ({ claims: { iss: scene.buyer.userId } }),
      'not signed with a key',
    ],
    ['without sub', () => ({ claims: { sub: undefined } }), 'claim sub'],
    ['for an agent of somebody else', () => ({ subject: scene.agentId }), 'not an agent of its issuer'],
    ['for an agent that does not exist', () => ({ subject: 'agt_nobody_v1' }), 'not an agent of its issuer'],
    ['for another account', () => ({ subject: scene.caller.userId }), 'not an agent of its issuer'],
    ['without aud', () => ({ claims: { aud: undefined } }), 'another marketplace'],
    ['for another marketplace', () => ({ claims: { aud: 'https://other.example' } }), 'another marketplace'],
    [
      'for two other marketplaces',
      () => ({ claims: { aud: ['https://a.example', 'https://b.example'] } }),
      'another marketplace',
    ],
    ['without jti', () => ({ claims: { jti: undefined } }), 'claim jti'],
    ['with a jti of another form', () => ({ claims: { jti: 'mandate 1' } }), 'mdt_'],
    [
      'with a jti of a thousand characters',
      () => ({ claims: { jti: `mdt_${'a'.repeat(1_000)}` } }),
      'claim jti',
    ],
    ['without iat', () => ({ claims: { iat: undefined } }), 'claim iat'],
    ['issued in two minutes', (now) => ({ claims: { iat: now + 120 } }), 'in the future'],
    ['without exp', () => ({ claims: { exp: undefined } }), 'claim exp'],
    [
      'that expired 61 seconds ago',
      (now) => ({ claims: { iat: now - 600, nbf: now - 600, exp: now - 61 } }),
      'has expired',
    ],
    ['with a text as exp', () => ({ claims: { exp: '2099-01-01' } }), 'claim exp'],
    ['that lives for longer than 31 days', (now) => ({ claims: { exp: now + 31 * 86_400 + 1 } }), '31 days'],
    ['that is valid in two minutes', (now) => ({ claims: { nbf: now + 120 } }), 'not valid yet'],
    [
      'with another vct',
      () => ({ claims: { vct: `${origin()}/vct/a2a.spend.open.2` } }),
      'vct of the mandate',
    ],
    [
      'with the vct of a delegated one',
      () => ({ claims: { vct: `${origin()}/vct/a2a.spend.delegated.1` } }),
      'vct of the mandate',
    ],
    ['with undisclosed claims', () => ({ claims: { _sd: ['x'] } }), 'selectively disclosable'],
    ['without constraints', () => ({ claims: { constraints: undefined } }), 'no list'],
    ['without a budget', () => ({ constraints: [perCall(10)] }), 'no market.credit_budget'],
    [
      'with an unknown constraint',
      () => ({ constraints: [budget(100), { type: 'payment.execution_date' }] }),
      'not supported',
    ],
    [
      'with a constraint without a type',
      () => ({ constraints: [budget(100), { max_credits: 1 }] }),
      'has no type',
    ],
    [
      'with a member more in a constraint',
      () => ({ constraints: [{ ...budget(100), currency: 'EUR' }] }),
      'unknown member',
    ],
    ['with two budgets', () => ({ constraints: [budget(100), budget(1_000)] }), 'twice'],
    ['with a budget of half a credit', () => ({ constraints: [budget(0.5)] }), 'whole number'],
    [
      'with a budget as text',
      () => ({ constraints: [{ ...budget(1), max_credits: '100' }] }),
      'whole number',
    ],
    [
      'with a negative limit of one call',
      () => ({ constraints: [budget(100), perCall(-1)] }),
      'whole number',
    ],
    [
      'with another frequency',
      () => ({ constraints: [budget(100), { ...times(5), frequency: 'DAILY' }] }),
      'ON_DEMAND',
    ],
    ['with an empty list of payees', () => ({ constraints: [budget(100), payees()] }), 'list of 1 to 256'],
    [
      'that allows other agents only',
      () => ({ constraints: [budget(100), payees('agt_other_v1')] }),
      'not allow calls',
    ],
    [
      'with a private key as cnf',
      () => ({ claims: { cnf: { jwk: { ...scene.holder.jwk, d: 'x' } } } }),
      'public key',
    ],
    [
      'with a cnf that is no point',
      () => ({ claims: { cnf: { jwk: { ...scene.holder.jwk, x: 'A'.repeat(43) } } } }),
      'not signed with the key',
    ],
  ];

  it.each(changed)('%s', async (_what, change, reason) => {
    const jws = await mandateOf(scene, change(nowS()));
    const reply = await useMandate(scene, jws);
    expect(outcomeOf(reply)).toEqual(INVALID);
    expect(reply.body.error?.message).toContain(reason);
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

it('allows a minute of difference between clocks, and a lifetime of 31 days', async () => {
  const now = nowS();
  for (const claims of [
    { iat: now + 50, nbf: now + 50 },
    { iat: now - 600, nbf: now - 600, exp: now - 50 },
    { exp: now + 31 * 86_400 },
  ]) {
    expect(outcomeOf(await useMandate(scene, await mandateOf(scene, { claims })))).toEqual([200, null]);
  }
});
