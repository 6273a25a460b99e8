import type { Profile } from '../../client/session';

/** Where a person begins after logging in, unless the address says where to return to. */
export function homeOf(profile: Profile, next?: unknown): string {
  if (typeof next === 'string' && /^\/(?!\/)/.test(next)) return next;
  if (profile.role === 'operator') return '/operator';
  return profile.role === 'developer' ? '/developer' : '/';
}
