/**
 * What members of an organisation may do. This table is the only place: the check of each request, the page
 * docs/organisations.md and the test that calls every operation with every role are derived from it (ADR 0374).
 */
export const MEMBER_ROLES = ['owner', 'admin', 'finance', 'developer', 'buyer', 'viewer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export interface PermissionRule {
  /** What the permission allows, for the reference page. */
  allows: string;
  roles: readonly MemberRole[];
}

const rule = (allows: string, ...roles: MemberRole[]): PermissionRule => ({ allows, roles });

/** Permissions of members, and the roles that have them. */
export const MEMBER_PERMISSIONS = {
  view: rule('See agents, calls, cases, the balance and the organisation itself', ...MEMBER_ROLES),
  viewMoney: rule(
    'See movements, invoices, statements, earnings, payouts and the bond',
    'owner',
    'admin',
    'finance',
    'viewer',
  ),
  call: rule('Call agents, answer running calls, open disputes', 'owner', 'admin', 'developer', 'buyer'),
  keys: rule(
    'Make, change and end API keys and grants; developers and buyers those of their own',
    'owner',
    'admin',
    'developer',
    'buyer',
  ),
  agents: rule('Publish agents, answer findings, disputes and slashes', 'owner', 'admin', 'developer'),
  webhooks: rule('Make, change and end webhooks', 'owner', 'admin', 'developer'),
  mandates: rule('Register keys of mandates and revoke mandates', 'owner', 'admin', 'finance'),
  money: rule(
    'Top up, pay the registration, move the bond, change budgets and billing details',
    'owner',
    'finance',
  ),
  limits: rule(
    'Set budgets of members, and the rules for all calls of the organisation',
    'owner',
    'admin',
    'finance',
  ),
  payout: rule('Change the payout method and the tax form, with a second factor', 'owner', 'finance'),
  settings: rule('Change name, contact address, time zone and what is kept of calls', 'owner', 'admin'),
  members: rule('Invite members, change their roles and remove them', 'owner', 'admin'),
  audit: rule('Read the audit log', 'owner', 'admin'),
  own: rule('Hand the organisation over, require a second factor, end it', 'owner'),
} as const satisfies Record<string, PermissionRule>;
export type MemberPermission = keyof typeof MEMBER_PERMISSIONS;

/** `self`: concerns the person alone, whichever owner the request names; `operator`: for operators of the service. */
export type Permission = MemberPermission | 'self' | 'operator';

/** Whether members with a role have a permission. */
export const mayDo = (role: MemberRole, permission: MemberPermission): boolean =>
  MEMBER_PERMISSIONS[permission].roles.includes(role);

/** The permissions that members with a role have. */
export const permissionsOf = (role: MemberRole): MemberPermission[] =>
  (Object.keys(MEMBER_PERMISSIONS) as MemberPermission[]).filter((permission) => mayDo(role, permission));

/** Whether a permission is about an owner, so that a member's role decides. */
export const isOfMembers = (permission: Permission): permission is MemberPermission =>
  permission in MEMBER_PERMISSIONS;

/** Roles whose members see and end only keys and grants that they made themselves. */
export const seesOwnKeysOnly = (role: MemberRole | null): boolean => role === 'developer' || role === 'buyer';

/** Whether a member with a role may give or take another role: only owners make and unmake owners. */
export const mayAssign = (by: MemberRole, role: MemberRole): boolean =>
  mayDo(by, 'members') && (role !== 'owner' || by === 'owner');

/** Most members of an organisation with its open invitations, and organisations that a person owns. */
export const MAX_MEMBERS = 1_000;
export const MAX_ORGANISATIONS = 200;
/** Most agents and developers that the rules of an organisation list. */
export const MAX_RULE_ENTRIES = 1_000;
export const INVITATION_DAYS = 7;
/** Ids of accounts that may be organisations; `usr_` for a personal account that became one. */
export const OWNER_ID_PATTERN = '^(usr|org)_[0-9a-f]{32}$';
