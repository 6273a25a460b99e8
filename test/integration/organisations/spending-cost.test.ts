/** What a call costs an organisation that uses every bound: a thousand members with budgets, and a thousand rules. */
import { ask, callByKey, callBySession, company, memberKey } from '../../support/accounts/members';
import { meterRows } from '../../support/ledger/rows-read';
import { useScene } from '../../support/use-market';

const scene = useScene({ market: {}, agent: { credits: 10 } });
const MANY = 1_000;

it('reads as few rows for a call as a small organisation does', async () => {
  const { market, agentId } = scene;
  const { orgId, members } = await company(market, ['owner', 'buyer']);
  await market.owner.query(
    `WITH people AS (
       INSERT INTO users (user_id, email, password_hash, display_name, role, email_confirmed_at)
         SELECT 'usr_' || md5(n::text), 'member-' || n || '@large.test', '', 'Member', 'buyer', now()
           FROM generate_series(1, $2) n RETURNING user_id)
     INSERT INTO organisation_members (org_id, user_id, role) SELECT $1, user_id, 'buyer' FROM people`,
    [orgId, MANY - 2],
  );
  await market.owner.query(
    `SELECT member_budget_set($1, m.user_id, 'bgt_' || md5(m.user_id), 100000, 'day')
       FROM organisation_members m WHERE m.org_id = $1`,
    [orgId],
  );
  const agents = [agentId, ...Array.from({ length: MANY - 1 }, (_, n) => `agt_agent_number_${n}_v1`)];
  const rules = ['PATCH', `/v1/organisations/${orgId}/rules`, { agents, min_trust_score: 0 }] as const;
  expect((await ask(market, members.owner, rules)).status).toBe(200);
  const key = await memberKey(market, orgId, members.buyer);
  expect((await callBySession(market, orgId, members.buyer, agentId)).status).toBe(200);

  const measure = await meterRows(market.database.name, [market.container.pool]);
  const calls = await measure(async () => {
    expect((await callBySession(market, orgId, members.buyer, agentId)).status).toBe(200);
    expect((await callByKey(market, key, agentId)).status).toBe(200);
  });
  expect(Math.max(...calls.map(({ rowsRead }) => rowsRead))).toBeLessThan(30);
});
