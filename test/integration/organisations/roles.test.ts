/** Every operation, called by a member of each role for the own organisation and for another one (ADR 0374). */
import type { Operation } from '../../../src/contract/operation';
import { operations } from '../../../src/contract/operations';
import { permissionOf } from '../../../src/contract/permissions';
import { isOfMembers, MEMBER_ROLES, type MemberRole, mayDo } from '../../../src/domain/accounts/roles';
import { organisation } from '../../support/accounts/organisation-rows';
import { register, type TestUser } from '../../support/market';
import { useMarket } from '../../support/use-market';

const market = useMarket({ operations: false });
const members = new Map<MemberRole, TestUser>();
let own: string;
let other: string;

beforeAll(async () => {
  for (const role of MEMBER_ROLES) members.set(role, await register(market, 'buyer'));
  own = await organisation(market, Object.fromEntries(members));
  other = await organisation(market, { owner: await register(market, 'buyer') });
});

const SAMPLES: Record<string, string> = { agent_id: 'agt_nobody_v1', slug: 'nobody', owner: 'dev_nobody' };

/** Calls an operation without body or query on things that do not exist. Streams are left when they begin. */
async function ask({ method, path }: Operation, role: MemberRole, owner: string) {
  const url =
    market.url +
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === 'org_id' ? owner : (SAMPLES[name] ?? 'nothing'),
    );
  const leave = new AbortController();
  const headers = { cookie: members.get(role)?.cookie ?? '', 'x-owner': owner };
  const response = await fetch(url, { method: method.toUpperCase(), headers, signal: leave.signal });
  const text = response.status >= 400 ? await response.text() : '';
  leave.abort();
  return { status: response.status, text };
}

const ofMembers = operations.flatMap((operation) => {
  const permission = permissionOf(operation);
  return operation.auth !== 'public' && isOfMembers(permission)
    ? [[operation.id, permission, operation] as const]
    : [];
});

it('covers the operations of the contract', () => expect(ofMembers.length).toBeGreaterThan(140));

it.each(ofMembers)('%s needs the permission %s', async (_id, permission, operation) => {
  for (const role of MEMBER_ROLES) {
    const { status, text } = await ask(operation, role, own);
    const isRefused = text.includes('Your role in this organisation');
    expect([role, isRefused]).toEqual([role, !mayDo(role, permission)]);
    if (isRefused) expect([200, 403]).toContain(status);
    else expect(status === 401 || status >= 500).toBe(false);
    const foreign = await ask(operation, role, other);
    expect([role, foreign.status, foreign.text]).toEqual([
      role,
      expect.any(Number),
      expect.stringContaining('no such owner'),
    ]);
  }
});
