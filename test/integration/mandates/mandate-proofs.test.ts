/** Proofs that are refused or used again, revoked mandates and doubled names (docs/mandates.md). */
import fc from 'fast-check';
import { anyCodePoint } from '../../support/any-text';
import {
  type MandateScene,
  INPUT,
  mandateOf,
  messageOf,
  outcomeOf,
  startMandateScene,
  useMandate,
} from '../../support/mandates/mandate-scene';
import {
  budget,
  claimsOf,
  newJti,
  newSigner,
  nowS,
  type ProofOptions,
  readMandate,
  registerSigner,
  signMandate,
  signProof,
} from '../../support/mandates/mandates';
import { putLive, register } from '../../support/market';

let scene: MandateScene;
beforeAll(async () => {
  scene = await startMandateScene();
});
afterEach(() => scene.agent.forget());
afterAll(() => scene.stop());

const INVALID = [403, 'mandate_invalid'];

describe('a proof is refused', () => {
  const otherHash = 'A'.repeat(43);
  const changed: [string, (now: number) => Partial<ProofOptions>, reason: string][] = [
    ['of another type', () => ({ header: { typ: 'mandate+jwt' } }), 'not a JWS with alg ES256'],
    ['with a foreign kid', () => ({ header: { kid: 'A'.repeat(43) } }), 'not signed with the key'],
    ['with a key in its header', () => ({ header: { jwk: scene.holder.jwk } }), 'not a JWS with alg ES256'],
    [
      'for the marketplace instead of the agent',
      () => ({ claims: { aud: scene.market.config.PUBLIC_ORIGIN } }),
      'another agent',
    ],
    ['for another mandate', () => ({ claims: { mandate_hash: otherHash } }), 'another mandate'],
    ['for another request', () => ({ claims: { request_hash: otherHash } }), 'another request'],
    ['without a hash of the request', () => ({ claims: { request_hash: undefined } }), 'another request'],
    ['without jti', () => ({ claims: { jti: undefined } }), 'claim jti'],
    ['without iat', () => ({ claims: { iat: undefined } }), 'claim iat'],
    ['made in two minutes', (now) => ({ claims: { iat: now + 120 } }), 'in the future'],
    ['made before its mandate', (now) => ({ claims: { iat: now - 600 } }), 'older'],
    ['that has expired', (now) => ({ claims: { exp: now - 61 } }), 'has expired'],
    ['without max_credits', () => ({ claims: { max_credits: undefined } }), 'max_credits'],
    ['with half a credit', () => ({ claims: { max_credits: 10.5 } }), 'max_credits'],
    [
      'for another agent',
      () => ({ claims: { aud: `${scene.market.config.PUBLIC_ORIGIN}/v1/a2a/agt_other_v1` } }),
      'another agent',
    ],
  ];

  it.each(changed)('%s', async (_what, change, reason) => {
    const jws = await mandateOf(scene);
    const options = { jws, holder: scene.holder, agentId: scene.agentId, input: INPUT, ...change(nowS()) };
    const proof = await signProof(scene.market, options);
    const reply = await useMandate(scene, jws, { proof });
    expect(outcomeOf(reply)).toEqual(INVALID);
    expect(reply.body.error?.message).toContain(reason);
    expect(scene.agent.deliveries).toHaveLength(0);
  });

  it('when the input, the key or the agent is another, or another key signed it', async () => {
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

it('may allow any number of credits: the mandate decides', async () => {
  const maxCredits = Number.MAX_SAFE_INTEGER;
  expect(outcomeOf(await useMandate(scene, await mandateOf(scene), { maxCredits }))).toEqual([200, null]);
});

describe('a used proof', () => {
  it('is refused, also to the issuer', async () => {
    const jws = await mandateOf(scene);
    const proof = await signProof(scene.market, {
      jws,
      holder: scene.holder,
      agentId: scene.agentId,
      input: INPUT,
    });
    expect(outcomeOf(await useMandate(scene, jws, { proof }))).toEqual([200, null]);
    const again = await useMandate(scene, jws, { proof });
    expect(outcomeOf(again)).toEqual(INVALID);
    expect(messageOf(again)).toContain('The proof was used for another call.');
    expect(outcomeOf(await useMandate(scene, jws, { proof, who: scene.issuer }))).toEqual(INVALID);
    expect(scene.agent.deliveries).toHaveLength(1);
  });

  it('gets the same answer with the same key, once charged, and joins the call while it runs', async () => {
    const jws = await mandateOf(scene);
    const idempotencyKey = `order-${newJti()}`;
    const made = { jws, holder: scene.holder, agentId: scene.agentId, input: INPUT, idempotencyKey };
    const proof = await signProof(scene.market, made);
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => useMandate(scene, jws, { proof, idempotencyKey })),
    );
    expect(new Set(replies.map((reply) => JSON.stringify([reply.status, reply.body]))).size).toBe(1);
    expect(outcomeOf(replies[0]!)).toEqual([200, null]);
    const replay = await useMandate(scene, jws, { proof, idempotencyKey });
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(replay.body).toEqual(replies[0]?.body);
    expect(scene.agent.deliveries).toHaveLength(1);
    const seen = await readMandate(scene.market, scene.issuer, String(claimsOf(jws)['jti']));
    expect(seen).toMatchObject({ spent_credits: 10, occurrences: 1 });
  });

  it('runs again with its key after a failure', async () => {
    const jws = await mandateOf(scene);
    const idempotencyKey = `order-${newJti()}`;
    const made = { jws, holder: scene.holder, agentId: scene.agentId, input: INPUT, idempotencyKey };
    const proof = await signProof(scene.market, made);
    scene.agent.behave({ kind: 'status', status: 500 });
    expect(outcomeOf(await useMandate(scene, jws, { proof, idempotencyKey }))).toEqual([502, 'agent_error']);
    scene.agent.behave({ kind: 'echo' });
    expect(outcomeOf(await useMandate(scene, jws, { proof, idempotencyKey }))).toEqual([200, null]);
    expect((await useMandate(scene, jws, { proof, idempotencyKey })).body.output).toEqual(INPUT);
  });

  it('does not give the answer of the call to another caller', async () => {
    const jws = await mandateOf(scene);
    const idempotencyKey = `order-${newJti()}`;
    const made = { jws, holder: scene.holder, agentId: scene.agentId, input: INPUT, idempotencyKey };
    const proof = await signProof(scene.market, made);
    expect(outcomeOf(await useMandate(scene, jws, { proof, idempotencyKey }))).toEqual([200, null]);
    const eavesdropper = await register(scene.market, 'buyer');
    const stolen = await useMandate(scene, jws, { proof, idempotencyKey, who: eavesdropper });
    expect(outcomeOf(stolen)).toEqual([409, 'idempotency_key_reused']);
    const second = await mandateOf(scene);
    expect(outcomeOf(await useMandate(scene, second, { idempotencyKey }))).toEqual([
      409,
      'idempotency_key_reused',
    ]);
  });
});

describe('revocation', () => {
  const revoke = (jti: string, who = scene.issuer) =>
    fetch(`${scene.market.url}/v1/mandates/${jti}`, { method: 'DELETE', headers: { cookie: who.cookie } });

  it('ends a mandate, also before its first use, and is permitted to its issuer alone', async () => {
    const [used, unused, other] = [await mandateOf(scene), await mandateOf(scene), await mandateOf(scene)];
    const jtiOf = (jws: string) => String(claimsOf(jws)['jti']);
    expect(outcomeOf(await useMandate(scene, used))).toEqual([200, null]);
    for (const jws of [used, unused, unused]) expect((await revoke(jtiOf(jws))).status).toBe(204);
    expect((await revoke(jtiOf(other), scene.buyer)).status).toBe(204);
    expect(outcomeOf(await useMandate(scene, used))).toEqual(INVALID);
    expect(outcomeOf(await useMandate(scene, unused))).toEqual(INVALID);
    expect(outcomeOf(await useMandate(scene, other))).toEqual([200, null]);
    const seen = await readMandate(scene.market, scene.issuer, jtiOf(used));
    expect(seen).toMatchObject({ status: 'revoked', spent_credits: 10 });
    expect(seen.revoked_at).not.toBeNull();
  });

  it('comes with the removal of the key that signed', async () => {
    const signer = await registerSigner(scene.market, scene.issuer);
    const jws = await mandateOf(scene, { signer });
    expect(outcomeOf(await useMandate(scene, jws))).toEqual([200, null]);
    const path = `${scene.market.url}/v1/mandate-keys/${signer.kid}`;
    const remove = () => fetch(path, { method: 'DELETE', headers: { cookie: scene.issuer.cookie } });
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    expect(outcomeOf(await useMandate(scene, jws))).toEqual(INVALID);
  });
});

it('ties a jti to one content permanently', async () => {
  const jti = newJti();
  const first = await mandateOf(scene, { claims: { jti }, constraints: [budget(20)] });
  expect(outcomeOf(await useMandate(scene, first))).toEqual([200, null]);
  const second = await mandateOf(scene, { claims: { jti }, constraints: [budget(1_000)] });
  const raised = await useMandate(scene, second);
  expect(outcomeOf(raised)).toEqual(INVALID);
  expect(messageOf(raised)).toContain('The budget and the other limits of a mandate cannot be changed');
  const theirs = { issuer: scene.buyer.userId, subject: scene.buyer.userId, holder: scene.holder };
  const signer = await registerSigner(scene.market, scene.buyer);
  const same = await signMandate(scene.market, { ...theirs, signer, claims: { jti } });
  expect(outcomeOf(await useMandate(scene, same))).toEqual([200, null]);
});

it('refuses malformed signed claims, never with an internal error', async () => {
  const text = fc.oneof(
    fc.string({ unit: anyCodePoint }),
    fc.constantFrom('\u0000', '\ud800', 'mdt_\u0000', '__proto__'),
  );
  const number = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constant(1e15),
  );
  const value = fc.oneof(text, number, fc.jsonValue(), fc.array(text), fc.dictionary(text, number));
  const names = ['iss', 'sub', 'aud', 'jti', 'iat', 'nbf', 'exp', 'vct', 'cnf', 'constraints', 'other'];
  const proofNames = ['aud', 'iat', 'exp', 'jti', 'mandate_hash', 'request_hash', 'max_credits', 'other'];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names),
      fc.constantFrom(...proofNames),
      value,
      async (name, proofName, any) => {
        const jws = await mandateOf(scene, { claims: { [name]: any } });
        expect([200, 402, 403]).toContain((await useMandate(scene, jws)).status);
        const good = await mandateOf(scene);
        const claims = { [proofName]: any };
        expect([200, 402, 403]).toContain((await useMandate(scene, good, { claims })).status);
      },
    ),
    { numRuns: 60 },
  );
});
