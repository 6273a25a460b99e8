import { permissionOf } from '../../src/contract/permissions';
import { operations } from '../../src/contract/operations';
import {
  MEMBER_PERMISSIONS,
  MEMBER_ROLES,
  type MemberPermission,
  mayDo,
} from '../../src/domain/accounts/roles';
import { code, generated, table } from './table';

const permissions = Object.keys(MEMBER_PERMISSIONS) as MemberPermission[];

/** docs/reference/roles.md: what members of an organisation may do, and by which operations. */
export function rolesPage(): string {
  const rights = permissions.map((name) => [
    code(name),
    MEMBER_PERMISSIONS[name].allows,
    ...MEMBER_ROLES.map((role) => (mayDo(role, name) ? 'yes' : '')),
  ]);
  const lists = permissions.flatMap((name) => {
    const rows = operations
      .filter((operation) => operation.auth !== 'public' && permissionOf(operation) === name)
      .map(({ method, path, summary }) => [code(`${method.toUpperCase()} ${path}`), summary]);
    return rows.length === 0 ? [] : [`### ${name}\n\n${table(['Operation', 'Purpose'], rows)}\n`];
  });
  return `${generated(
    'Roles of members',
    '`src/domain/accounts/roles.ts` and the operations of the contract',
    'A member of an organisation has one role in it. The header `X-Owner` names the organisation for which a request acts; without it, the owner of the\nkey, then the owner chosen for the session, then the personal account. An organisation that the caller does not belong to is 404; an operation that\nthe role does not permit is 403 `forbidden`.',
    'A key that a member makes for an organisation may do what its scopes and the present role of the member permit, and it ends with the membership.\nOperations that concern the person alone (password, sessions, second factor) ignore `X-Owner`.',
  )}

## Permissions

${table(['Permission', 'What it permits', ...MEMBER_ROLES.map(code)], rights)}

## Operations

${lists.join('\n')}`;
}
