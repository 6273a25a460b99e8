import { asOwner, mayDo, type Profile } from '../../client/owner';

/** Where a person begins after logging in, unless the address says where to return to. */
export function homeOf(profile: Profile, next?: unknown): string {
  if (typeof next === 'string' && /^\/(?!\/)/.test(next)) return next;
  const { role } = asOwner(profile);
  if (role === 'operator') return '/operator';
  if (role !== 'developer') return '/';
  return mayDo(profile, 'viewMoney') ? '/developer' : '/developer/agents';
}
