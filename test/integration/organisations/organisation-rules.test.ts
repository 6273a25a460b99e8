/** Which agents the calls of an organisation may reach, whichever key, session or mandate makes them (ADR 0401). */
import { MEMBER_ROLES } from '../../../src/domain/accounts/roles';
import { ask, callByKey, callBySession, company, memberKey } from '../../support/accounts/members';
import { budget, newSigner, signMandate, signProof } from '../../support/mandates/mandates';
import {
  expectWholeLedger,
  invoke,
  type InvokeReply,
  putLive,
  register,
  type TestUser,
} from '../../support/market';
import { useScene } from '../../support/use-market';

const scene = useScene({ agent: { credits: 10 } });
let orgId: string;
let owner: TestUser;
let buyer: TestUser;
beforeEach(async () => {
  const made = await company(scene.market, ['owner', 'buyer']);
  orgId = made.orgId;
  ({ owner, buyer } = made.members);
  await setTrust(scene.agentId, 70);
});
afterEach(() => expectWholeLedger(scene.market));

const setTrust = (agentId: string, score: number | null) =>
  scene.market.owner.query('UPDATE agents SET trust_score = $2 WHERE agent_id = $1', [agentId, score]);
const rulesPath = (id = orgId) => `/v1/organisations/${id}/rules`;
interface Rules {
  min_trust_score: number | null;
  agents: string[] | null;
  developers: string[] | null;
}
const change = (body: object, who = owner) => ask<Rules>(scene.market, who, ['PATCH', rulesPath(), body]);
const bySession = (agentId = scene.agentId) => callBySession(scene.market, orgId, buyer, agentId);
const outcomeOf = ({ status, body }: InvokeReply) => [status, body.error?.code];
const developerId = async () => {
  const { rows } = await scene.market.owner.query<{ id: string }>(
    'SELECT developer_id AS id FROM users WHERE user_id = $1',
    [scene.developer.userId],
  );
  return rows[0]?.id ?? '';
};

describe('the floor of trust of an organisation', () => {
  it('holds for sessions and keys, which cannot widen it, and for free calls', async () => {
    const key = await memberKey(scene.market, orgId, buyer, { min_trust_score: 10 });
    const { agentId: free } = await putLive(scene.market, scene.developer.userId, scene.agent.url, {
      credits: 0,
    });
    await setTrust(free, null);
    expect((await change({ min_trust_score: 71 })).body).toMatchObject({ min_trust_score: 71 });
    for (const reply of [
      await bySession(),
      await bySession(free),
      await callByKey(scene.market, key, scene.agentId),
    ]) {
      expect(outcomeOf(reply)).toEqual([403, 'forbidden']);
      expect(reply.body.error?.message).toContain('lower trust score than your organisation permits');
    }
    await change({ min_trust_score: 70 });
    expect((await callByKey(scene.market, key, scene.agentId)).status).toBe(200);
    const narrower = await memberKey(scene.market, orgId, buyer, { min_trust_score: 90 });
    expect((await callByKey(scene.market, narrower, scene.agentId)).body.error?.message).toContain('API key');
    await change({ min_trust_score: null });
    expect((await bySession(free)).status).toBe(200);
  });
});

describe('the list of an organisation', () => {
  it('permits its agents and all agents of its developers, and no other', async () => {
    const other = await register(scene.market, 'developer');
    const { agentId: foreign } = await putLive(scene.market, other.userId, scene.agent.url, { credits: 10 });
    expect((await change({ agents: [foreign] })).body).toEqual({
      min_trust_score: null,
      agents: [foreign],
      developers: null,
    });
    const refused = await bySession();
    expect(outcomeOf(refused)).toEqual([403, 'forbidden']);
    expect(refused.body.error?.message).toContain(
      `${scene.agentId} is not among the agents and developers that your organisation permits`,
    );
    expect((await bySession(foreign)).status).toBe(200);
    const widened = await memberKey(scene.market, orgId, buyer, { agents: [scene.agentId] });
    expect((await callByKey(scene.market, widened, scene.agentId)).status).toBe(403);
    const developers = [await developerId()];
    expect((await change({ developers })).body).toMatchObject({ agents: [foreign], developers });
    expect((await callByKey(scene.market, widened, scene.agentId)).status).toBe(200);
    expect((await callByKey(scene.market, widened, foreign)).status).toBe(403);
    await change({ agents: null });
    expect((await bySession(foreign)).status).toBe(403);
    expect((await change({ developers: null })).body).toEqual({
      min_trust_score: null,
      agents: null,
      developers: null,
    });
    expect((await bySession(foreign)).status).toBe(200);
  });

  it('has at most a thousand agents and developers, known developers only', async () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `agt_agent_number_${n}_v1`);
    expect((await change({ agents: ids })).body.agents).toHaveLength(1_000);
    expect((await change({ developers: [await developerId()] })).status).toBe(422);
    expect((await change({ agents: [...ids, 'agt_one_more_v1'] })).status).toBe(422);
    expect((await change({ agents: [] })).status).toBe(422);
    expect((await change({ min_trust_score: 101 })).status).toBe(422);
    const unknown = await change({ developers: ['dev_no-such-developer'] });
    expect([unknown.status, JSON.stringify(unknown.body)]).toEqual([422, expect.stringContaining('no developer has the id dev_no-such-developer')]); // prettier-ignore
    const { body } = await ask<Rules>(scene.market, buyer, ['GET', rulesPath()]);
    expect([body.agents?.length, body.developers]).toEqual([1_000, null]);
  });

  it('holds for a call that a mandate of the organisation pays, and says no more than that', async () => {
    const [signer, holder, caller] = [await newSigner(), await newSigner(), await register(scene.market, 'developer')]; // prettier-ignore
    const jwk = { jwk: signer.jwk };
    expect((await ask(scene.market, owner, ['POST', '/v1/mandate-keys', jwk], orgId)).status).toBe(201);
    const { agentId: writer } = await putLive(scene.market, orgId, scene.agent.url);
    const jws = await signMandate(scene.market, { issuer: orgId, subject: writer, signer, holder, constraints: [budget(100)] }); // prettier-ignore
    const input = { text: 'under a mandate' };
    const call = async () => {
      const proof = await signProof(scene.market, { jws, agentId: scene.agentId, input, holder });
      return invoke(scene.market, caller, scene.agentId, { input, mandate: { type: 'a2a.spend.v1', jws, proof } });
    }; // prettier-ignore
    const first = await call();
    expect([first.status, first.body.error?.message]).toEqual([200, undefined]);
    await change({ min_trust_score: 100 });
    const refused = await call();
    expect([refused.status, refused.body.error?.message]).toEqual([
      403,
      `The issuer of the mandate permits no calls of ${scene.agentId}.`,
    ]);
  });
});

it('is changed by owners, admins and finance, seen by all members, and noted in the log', async () => {
  const { orgId: id, members } = await company(scene.market, MEMBER_ROLES);
  for (const role of MEMBER_ROLES) {
    const { status } = await ask(scene.market, members[role], ['PATCH', rulesPath(id), { min_trust_score: 1 }]); // prettier-ignore
    expect([role, status]).toEqual([role, ['owner', 'admin', 'finance'].includes(role) ? 200 : 403]);
    expect((await ask(scene.market, members[role], ['GET', rulesPath(id)])).status).toBe(200);
  }
  const stranger = await register(scene.market, 'buyer');
  for (const method of ['GET', 'PATCH'] as const)
    expect((await ask(scene.market, stranger, [method, rulesPath(id), method === 'PATCH' ? {} : undefined])).status).toBe(404); // prettier-ignore
  const { body } = await ask<{ items: { operation: string }[] }>(scene.market, members.owner, [
    'GET',
    `/v1/organisations/${id}/log`,
  ]);
  expect(body.items.filter(({ operation }) => operation === 'changeOrganisationRules')).toHaveLength(6);
});
