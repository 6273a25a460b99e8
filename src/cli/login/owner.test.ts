import { isOfMembers } from '../../domain/accounts/roles';
import { operations } from '../../contract/operations';
import { permissionOf } from '../../contract/permissions';
import { isChangeOfOwner, ownerOf } from './owner';

const ORG = 'org_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b';

describe('the owner of a command', () => {
  const saved = { email: 'ada@example.org', owner: { id: ORG, name: 'Engines' } };

  it('is the one of --owner, then of MARKET_OWNER, then the one that the login remembers', () => {
    const other = `org_${'1'.repeat(32)}`;
    expect(ownerOf({}, saved)).toEqual(saved.owner);
    expect(ownerOf({ owner: 'personal' }, saved)).toBeUndefined();
    expect(ownerOf({ owner: other }, saved)).toEqual({ id: other });
    process.env['MARKET_OWNER'] = other;
    try {
      expect(ownerOf({}, saved)).toEqual({ id: other });
      expect(ownerOf({ owner: ORG }, saved)).toEqual(saved.owner);
    } finally {
      delete process.env['MARKET_OWNER'];
    }
  });

  it('is no other word', () => {
    expect(() => ownerOf({ owner: 'acme' }, saved)).toThrow('acme is not an owner');
  });
});

it('shows the owner before the requests that change what belongs to it, and before no others', () => {
  const changes = operations.filter(
    ({ method, auth, path }) => method !== 'get' && auth !== 'public' && path.startsWith('/v1/'),
  );
  const wrong = changes.filter(
    (operation) => isChangeOfOwner('POST', operation.path) !== isOfMembers(permissionOf(operation)),
  );
  expect(wrong.map(({ path }) => path)).toEqual([]);
  expect(isChangeOfOwner('GET', '/v1/billing/balance')).toBe(false);
});
