/** What happens to used proofs, revoked mandates and doubled names (reference/protocols.md §3.2). */
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
  newJti,
  readMandate,
  registerSigner,
  signMandate,
  signProof,
} from '../support/mandates';
import { register } from '../support/market';

let scene: MandateScene;
beforeAll(async () => {
  scene = await startMandateScene();
});
afterEach(() => scene.agent.forget());
afterAll(() => scene.stop());

const INVALID = [403, 'mandate_invalid'];

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
    expect(outcomeOf(await useMandate(scene, jws, { proof }))).toEqual(INVALID);
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

  it('gives the answer of a call to nobody who did not make it', async () => {
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

  it('ends a mandate, also before its first use, and is the business of its issuer alone', async () => {
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

it('means one content by one jti, for ever', async () => {
  const jti = newJti();
  const first = await mandateOf(scene, { claims: { jti }, constraints: [budget(20)] });
  expect(outcomeOf(await useMandate(scene, first))).toEqual([200, null]);
  const second = await mandateOf(scene, { claims: { jti }, constraints: [budget(1_000)] });
  expect(outcomeOf(await useMandate(scene, second))).toEqual(INVALID);
  const theirs = { issuer: scene.buyer.userId, subject: scene.buyer.userId, holder: scene.holder };
  const signer = await registerSigner(scene.market, scene.buyer);
  const same = await signMandate(scene.market, { ...theirs, signer, claims: { jti } });
  expect(outcomeOf(await useMandate(scene, same))).toEqual([200, null]);
});
