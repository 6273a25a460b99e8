import { MarketError, type FieldProblem } from '../../domain/errors';
import { isCommonPassword } from '../../kit/crypto/common-passwords';
import { opaqueString } from '../../kit/crypto/passwords';

/** As in the contract, which counts before letters are composed. */
const MIN_LENGTH = 8;

/**
 * Throws `validation_failed` for one of the 10,000 most common passwords, for one that is too short once its letters
 * are composed, and for the address of the account itself. `field` is the name of the password's field in the body.
 */
export function assertGoodPassword(typed: string, field: string, email?: string): void {
  const detail = passwordProblems(typed, field, email);
  if (detail.length > 0) throw new MarketError('validation_failed', { detail });
}

/** The same as a list of at most one problem. */
export function passwordProblems(typed: string, field: string, email?: string): FieldProblem[] {
  const problem = (msg: string, type: string) => [{ loc: ['body', field], msg, type }];
  const password = opaqueString(typed);
  if (Array.from(password).length < MIN_LENGTH)
    return problem(`must have at least ${MIN_LENGTH} characters`, 'string_too_short');
  if (isCommonPassword(password))
    return problem('is one of the 10,000 most common passwords; choose another one', 'common_password');
  if (email !== undefined && password.toLowerCase() === email.toLowerCase())
    return problem('is the email address; choose another one', 'same_as_email');
  return [];
}
