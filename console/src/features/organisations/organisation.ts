import type { Answer } from '../../client/http';
import type { MemberRole, Permission } from '../../client/owner';

export type Organisation = Answer<'/v1/organisations/{org_id}', 'get'>;
export type IdentityProvider = Answer<
  '/v1/organisations/{org_id}/identity-providers',
  'get'
>['items'][number];

/** What members with each role do, for the lists from which a role is chosen. */
export const ROLES: readonly { value: MemberRole; label: string }[] = [
  { value: 'owner', label: 'Owner: everything' },
  { value: 'admin', label: 'Admin: members, keys, agents, webhooks, calls' },
  { value: 'finance', label: 'Finance: top-ups, budgets, bond, invoices, payouts' },
  { value: 'developer', label: 'Developer: publishes agents, calls agents' },
  { value: 'buyer', label: 'Buyer: calls agents, keys of their own' },
  { value: 'viewer', label: 'Viewer: reads' },
];

/** The roles that a member may give. Only owners make owners. */
export const rolesFor = ({ permissions }: Organisation) =>
  ROLES.filter(({ value }) => value !== 'owner' || permissions.includes('own'));

/** Roles that a first login by an identity provider may give. */
export const FIRST_ROLES = ROLES.filter(({ value }) => value !== 'owner' && value !== 'admin');

export const may = ({ permissions }: Organisation, permission: Permission): boolean =>
  permissions.includes(permission);
