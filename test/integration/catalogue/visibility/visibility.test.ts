/**
 * Private agents do not exist for those who may not know them, on every surface; unlisted ones are in no list
 * (docs/private-agents.md, ADR 0384).
 */
import { putLive, register, topUp, type TestUser } from '../../../support/market';
import { registerDeveloper, request, type TestDeveloper } from '../../../support/catalogue/publishing';
import {
  ALIKE,
  askList,
  type Caller,
  LISTS,
  type Named,
  SURFACES,
  withoutNames,
} from '../../../support/catalogue/surfaces';
import { newSlug } from '../../../support/names';
import { eventStream } from '../../../support/agents/behaviours';
import { CHAT_SCHEMAS } from '../../../support/calls/chat';
import { useAgent, useMarket } from '../../../support/use-market';

const market = useMarket({
  operations: false,
  env: { PUBLIC_READS: 'true', RATE_LIMIT_READS_PER_MINUTE: '100000' },
});
const agent = useAgent();
const WORDS = 'Quokkabird whisperer';

let owner: TestDeveloper;
let others: Record<'visitor' | 'buyer' | 'developer', Caller>;
let members: Record<'account' | 'developer', Caller>;
let member: TestUser;
let memberDeveloper: TestDeveloper;
let named: Named;
let missing: Named;

const by = ({ cookie }: Pick<TestUser, 'cookie'>): Caller => ({ cookie });
const visibilityPath = () => `/v1/developer/agents/${named.agentId}/visibility`;
const audiencePath = () => `/v1/developer/agents/${named.agentId}/audience`;
const become = async (visibility: string) => {
  const { status } = await request(market, owner, 'PATCH', visibilityPath(), { visibility });
  expect(status).toBe(200);
};

beforeAll(async () => {
  owner = await registerDeveloper(market);
  member = await register(market, 'buyer', 1_000);
  memberDeveloper = await registerDeveloper(market);
  await topUp(market.owner, memberDeveloper.userId, 1_000);
  const buyer = await register(market, 'buyer', 1_000);
  const developer = await registerDeveloper(market);
  await topUp(market.owner, developer.userId, 1_000);
  others = { visitor: {}, buyer: by(buyer), developer: by(developer) };
  members = { account: by(member), developer: by(memberDeveloper) };
  const slug = newSlug('quokka');
  const { agentId } = await putLive(market, owner.userId, agent.url, {
    agentId: slug,
    credits: 1,
    displayName: WORDS,
    ...CHAT_SCHEMAS,
  });
  agent.behave(eventStream(['Hello']));
  // Another agent, so that no list is empty for want of agents.
  await putLive(market, developer.userId, agent.url, { credits: 1, ...CHAT_SCHEMAS });
  await market.owner.query('SELECT agent_standing_refresh(agent_id) FROM agents');
  named = { agentId, slug, developerId: owner.developerId };
  const none = newSlug('quokka');
  missing = { agentId: `agt_${none.replaceAll('-', '_')}_v1`, slug: none, developerId: owner.developerId };
  const accounts = [member.userId, memberDeveloper.developerId];
  expect((await request(market, owner, 'POST', audiencePath(), { accounts })).body).toMatchObject({
    audience: 2,
  });
});

const listsWith = async (caller: Caller) => {
  const found: string[] = [];
  for (const name of Object.keys(LISTS)) {
    const { text } = await askList(market, caller, [name, named, WORDS]);
    if (text.includes(named.agentId) || text.includes(WORDS)) found.push(name);
  }
  return found;
};

describe('a private agent', () => {
  beforeAll(() => become('private'));

  it.each(['visitor', 'buyer', 'developer'] as const)(
    'is as one that does not exist to a %s',
    async (who) => {
      const different: string[][] = [];
      expect(SURFACES.length).toBeGreaterThan(60);
      for (const { name, ask } of SURFACES) {
        const [seen, none] = [
          withoutNames(await ask(market, others[who], named), named),
          withoutNames(await ask(market, others[who], missing), missing),
        ];
        if (seen !== none) different.push([name, seen.slice(0, 300), none.slice(0, 300)]);
      }
      expect(different).toEqual([]);
    },
  );

  it('is there for its owner or its audience on every surface that names it', async () => {
    const alike: string[] = [];
    const asked = SURFACES.filter(
      ({ name }) => !/^(setVisibility|retireAgent)$/.test(name) && !ALIKE.test(name),
    );
    for (const { name, ask } of asked) {
      const answers = await Promise.all(
        [by(owner), members.account].map(async (caller) => [
          withoutNames(await ask(market, caller, named), named),
          withoutNames(await ask(market, caller, missing), missing),
        ]),
      );
      if (answers.every(([seen, none]) => seen === none)) alike.push(name);
    }
    expect(alike).toEqual([]);
  });

  it.each(['visitor', 'buyer', 'developer'] as const)('is in no list of a %s', async (who) => {
    expect(await listsWith(others[who])).toEqual([]);
  });

  it('has no search row, and no developer page without another agent', async () => {
    const { rows } = await market.owner.query('SELECT FROM agent_search WHERE agent_id = $1', [
      named.agentId,
    ]);
    expect(rows).toEqual([]);
    for (const caller of Object.values(others))
      expect(
        (await fetch(`${market.url}/v1/developers/${owner.developerId}`, { headers: caller })).status,
      ).toBe(404);
    const seen = await fetch(`${market.url}/v1/developers/${owner.developerId}`, {
      headers: members.account,
    });
    expect(seen.status).toBe(200);
  });

  it.each(['account', 'developer'] as const)('is shown to an %s of its audience', async (who) => {
    const statuses = Object.fromEntries(
      await Promise.all(
        SURFACES.map(async ({ name, ask }) => [name, await ask(market, members[who], named)] as const),
      ),
    );
    const ok = {
      getListing: 200,
      'listing by slug': 200,
      getListingFigures: 200,
      getBadge: 200,
      getAgentCard: 200,
      invokeAgent: 422,
      mcpAgent: 200,
      'model by id': 200,
      'model by slug': 200,
      addFavourite: 204,
      completion: 200,
      'completion by slug': 200,
    };
    expect(Object.fromEntries(Object.keys(ok).map((name) => [name, statuses[name]?.status]))).toEqual(ok);
    for (const name of ['getBadge', 'getAgentCard', 'getListing'])
      expect(statuses[name]?.cache).toMatch(/no-store/);
    expect(statuses['getBadge']?.cache).toBe('private, no-store');
    expect(await listsWith(members[who])).toEqual([]);
    const shared = await fetch(`${market.url}/v1/shared-agents`, { headers: members[who] });
    expect(await shared.json()).toMatchObject({ items: [{ agent_id: named.agentId }], total: 1 });
  });

  it('hides the usage from its audience as from others, and shows it to its owner', async () => {
    const path = `/v1/agents/${named.agentId}/usage`;
    expect((await request(market, member, 'GET', path)).status).toBe(403);
    expect((await request(market, memberDeveloper, 'GET', path)).body.error?.code).toBe('forbidden');
    expect((await request(market, owner, 'GET', path)).status).toBe(200);
  });

  it('is gone at once for an account that leaves its audience', async () => {
    const { rows } = await market.owner.query('SELECT owner_id FROM agent_audience WHERE agent_id = $1', [
      named.agentId,
    ]);
    expect(rows).toHaveLength(2);
    const left = await fetch(`${market.url}${audiencePath()}/${memberDeveloper.developerId}`, {
      method: 'DELETE',
      headers: by(owner),
    });
    expect(left.status).toBe(204);
    expect((await request(market, memberDeveloper, 'GET', `/v1/listings/${named.agentId}`)).status).toBe(404);
    await request(market, owner, 'POST', audiencePath(), { accounts: [memberDeveloper.developerId] });
    expect((await request(market, memberDeveloper, 'GET', `/v1/listings/${named.agentId}`)).status).toBe(200);
  });
});

describe('an unlisted agent', () => {
  beforeAll(() => become('unlisted'));

  it('is in no list, also of its owner and its audience', async () => {
    for (const caller of [...Object.values(others), members.account, by(owner)])
      expect(await listsWith(caller)).toEqual([]);
  });

  it('is there for everybody who knows its id', async () => {
    for (const caller of Object.values(others)) {
      const listing = await fetch(`${market.url}/v1/listings/${named.agentId}`, { headers: caller });
      expect([listing.status, await listing.json()]).toMatchObject([200, { visibility: 'unlisted' }]);
      const badge = await fetch(`${market.url}/v1/agents/${named.agentId}/badge.svg`, { headers: caller });
      expect([badge.status, badge.headers.get('cache-control')]).toEqual([200, 'public, max-age=60']);
    }
  });
});

describe('a public agent', () => {
  beforeAll(() => become('public'));

  it('is in every list again', async () => {
    expect(await listsWith(others.visitor)).toEqual(
      expect.arrayContaining(['search by words', 'all listings']),
    );
    expect(await listsWith(others.buyer)).toEqual(
      expect.arrayContaining(['models', 'search_agents at the market', 'MCP registry']),
    );
  });
});
