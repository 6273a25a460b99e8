import { changePassword, register } from '../../contract/accounts';
import { resetPassword } from '../../contract/account-security';
import { openDispute } from '../../contract/disputes';
import { registerMandateKey } from '../../contract/mandates';
import type { Operation } from '../../contract/operation';
import { putPayoutMethod } from '../../contract/payouts';
import { publishRubric } from '../../contract/rubrics';
import type { FieldProblem } from '../../domain/errors';
import { asRecord, isRecord } from '../../domain/json-value';
import { PAYOUT_METHODS } from '../../domain/payouts/rails';
import { passwordProblems } from '../../services/accounts/new-password';
import { sizeProblems } from '../../services/disputes/dispute-attachments';
import { keyProblems } from '../../services/mandates/mandate-keys';
import { addressProblems } from '../../services/payouts/payout-accounts';
import { documentProblems } from '../../services/verification/rubrics';

type Later = NonNullable<Operation['laterProblems']>;

/** Rules that need more than the contract may import, by id of operation. */
const LATER: ReadonlyMap<string, Later> = new Map<string, Later>([
  [register.id, ({ password, email }) => ofPassword('password', password, email)],
  [changePassword.id, ({ new_password: password }) => ofPassword('new_password', password)],
  [resetPassword.id, ({ new_password: password }) => ofPassword('new_password', password)],
  [registerMandateKey.id, ({ jwk }) => ofKey(asRecord(jwk))],
  [putPayoutMethod.id, ({ method, details }) => ofAddress(method, details)],
  [openDispute.id, ({ attachments }) => sizeProblems(asRecord(attachments))],
  [publishRubric.id, ({ document }) => ofDocument(document)],
]);

/** What the service would refuse in a body of the operation, besides its form; undefined if there are no such rules. */
export function laterProblemsOf({ id, laterProblems }: Operation): Later | undefined {
  const more = LATER.get(id);
  if (!laterProblems || !more) return laterProblems ?? more;
  return (body) => [...laterProblems(body), ...more(body)];
}

function ofPassword(field: string, password: unknown, email?: unknown): FieldProblem[] {
  if (typeof password !== 'string') return [];
  return passwordProblems(password, field, typeof email === 'string' ? email : undefined);
}

function ofKey({ x, y, kid }: Record<string, unknown>): FieldProblem[] {
  if (typeof x !== 'string' || typeof y !== 'string') return [];
  return keyProblems({ kty: 'EC', crv: 'P-256', x, y, kid });
}

function ofAddress(method: unknown, details: unknown): FieldProblem[] {
  const known = PAYOUT_METHODS.find((each) => each === method);
  return known ? addressProblems(known, asRecord(details)) : [];
}

function ofDocument(document: unknown): FieldProblem[] {
  return isRecord(document) ? documentProblems(document) : [];
}
