import type { ApiScope } from '../domain/accounts/api-key';
import type { Permission } from '../domain/accounts/roles';
import type { Operation } from './operation';

/** Permissions of operations that name none: for reads, and for all others. */
const BY_SCOPE: Readonly<Record<ApiScope, readonly [Permission, Permission]>> = {
  'agents:invoke': ['view', 'call'],
  'agents:publish': ['view', 'agents'],
  'agents:read': ['view', 'view'],
  'billing:read': ['viewMoney', 'money'],
  'disputes:write': ['view', 'call'],
  'keys:manage': ['keys', 'keys'],
  'webhooks:manage': ['view', 'webhooks'],
};

/** What a member of an organisation needs to call an operation for it. */
export function permissionOf({ auth, roles, permission, method, knowsCaller }: Operation): Permission {
  if (permission !== undefined) return permission;
  if (roles?.every((role) => role === 'operator')) return 'operator';
  // What is public, and shows more to some: an organisation may be among them.
  if (knowsCaller) return 'view';
  if (typeof auth === 'string') return 'self';
  return BY_SCOPE[auth.scope][method === 'get' ? 0 : 1];
}
