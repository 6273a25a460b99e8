import { MarketError } from '../../domain/errors';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import { type DbPool, withTransaction } from '../../stores/db';
import { lockOrganisation } from '../../stores/organisations/organisations';
import { readRequireSso, setRequireSso } from '../../stores/sso/identity-providers';
import type { OperatorRequest } from '../accounts/operator-actions';

/** What an operator can do for an organisation whose identity provider is lost. */
export function createSsoEscape({ pool }: { pool: DbPool }) {
  return {
    /** Permits logins by password, with an audit log entry. Throws `not_found`, `invalid_state`. */
    permitPasswordLogins: (orgId: string, request: OperatorRequest): Promise<void> =>
      withTransaction(pool, async (tx) => {
        if (!(await lockOrganisation(tx, orgId))) throw new MarketError('not_found');
        if (!(await readRequireSso(tx, orgId)))
          throw new MarketError('invalid_state', {
            message: 'This organisation permits logins by password.',
          });
        await setRequireSso(tx, orgId, false);
        await recordOperatorAction(tx, {
          ...request,
          action: 'organisation.permit_passwords',
          subject: orgId,
        });
      }),
  };
}

export type SsoEscape = ReturnType<typeof createSsoEscape>;
