import type { Answer } from './http';

type SessionProfile = Answer<'/v1/auth/me', 'get'>;
/** The account of the session, and the organisation for which the session acts. A login acts for the person. */
export type Profile = Omit<SessionProfile, 'acting_for'> & Partial<Pick<SessionProfile, 'acting_for'>>;
export type ActingFor = NonNullable<SessionProfile['acting_for']>;
export type Permission = ActingFor['permissions'][number];
export type MemberRole = NonNullable<ActingFor['member_role']>;

/** The id of the account for which the session acts. */
export const ownerIdOf = (profile: Profile): string => profile.acting_for?.owner_id ?? profile.user_id;

/**
 * The account for which the session acts, as far as it decides what the console shows: the person's, or that of the
 * organisation. Name and address stay those of the person.
 */
export function asOwner(profile: Profile): Profile {
  const acting = profile.acting_for;
  if (!acting) return profile;
  const { role, developer_id, registration_paid, created_at } = acting.account ?? {
    role: 'buyer' as const,
    developer_id: null,
    registration_paid: false,
    created_at: profile.created_at,
  };
  return { ...profile, role, developer_id, registration_paid, created_at };
}

/** Whether the person may do this for the owner of the session. A person may do everything for the own account. */
export function mayDo(profile: Profile | null | undefined, permission: Permission): boolean {
  const acting = profile?.acting_for;
  return !acting || acting.permissions.includes(permission);
}

/** The name of the organisation for which the session acts; undefined for the person. */
export const organisationName = (profile: Profile | null | undefined): string | undefined =>
  profile?.acting_for?.account?.name;
