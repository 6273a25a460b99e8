import { changePassword, register } from '../../contract/accounts';
import { resetPassword } from '../../contract/account-security';
import { registerMandateKey } from '../../contract/mandates';
import type { Operation } from '../../contract/operation';
import type { FieldProblem } from '../../domain/errors';
import { asRecord } from '../../domain/json-value';
import { publicKeyOf } from '../../kit/crypto/jws-verify';
import { passwordProblems } from '../../services/accounts/new-password';

type Later = NonNullable<Operation['laterProblems']>;

/** Rules that need more than the contract may import, by id of operation. */
const LATER: ReadonlyMap<string, Later> = new Map<string, Later>([
  [register.id, ({ password, email }) => ofPassword('password', password, email)],
  [changePassword.id, ({ new_password: password }) => ofPassword('new_password', password)],
  [resetPassword.id, ({ new_password: password }) => ofPassword('new_password', password)],
  [registerMandateKey.id, ({ jwk }) => ofKey(asRecord(jwk))],
]);

/** What the service would refuse in a body of the operation, besides its form; undefined if there are no such rules. */
export function laterProblemsOf({ id, laterProblems }: Operation): Later | undefined {
  return laterProblems ?? LATER.get(id);
}

function ofPassword(field: string, password: unknown, email?: unknown): FieldProblem[] {
  if (typeof password !== 'string') return [];
  return passwordProblems(password, field, typeof email === 'string' ? email : undefined);
}

function ofKey({ x, y }: Record<string, unknown>): FieldProblem[] {
  if (typeof x !== 'string' || typeof y !== 'string') return [];
  if (publicKeyOf({ kty: 'EC', crv: 'P-256', x, y })) return [];
  return [{ loc: ['body', 'jwk', 'x'], msg: 'must be a point of P-256, together with y', type: 'jwk' }];
}
