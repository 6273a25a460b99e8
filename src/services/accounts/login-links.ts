/** One-time login links of the local stack (ADR 0110). No process in production has this service. */
import { MarketError } from '../../domain/errors';
import { mailTokenSha256, newMailToken } from '../../kit/crypto/mail-token';
import { insertToken, consumeToken } from '../../stores/accounts/mails';
import { type DbPool, withTransaction } from '../../stores/db';
import type { Account, AccountsService } from './accounts';

const VALID_MS = 15 * 60_000;

export function createLoginLinks(deps: { pool: DbPool; accounts: Pick<AccountsService, 'find'> }) {
  const { pool, accounts } = deps;
  return {
    /** Returns a token that starts one session of the account within 15 minutes. Only its hash is stored. */
    async issue(userId: string): Promise<string> {
      const token = newMailToken();
      await insertToken(pool, {
        sha256: mailTokenSha256(token),
        userId,
        purpose: 'log_in',
        validMs: VALID_MS,
      });
      return token;
    },

    /** Uses a token up and returns its account. Throws `validation_failed` if it is unknown, used or expired. */
    async use(token: string): Promise<Account> {
      const userId = await withTransaction(pool, (tx) => consumeToken(tx, mailTokenSha256(token), 'log_in'));
      if (userId !== undefined) return accounts.find(userId);
      const msg =
        'is wrong, was used, or is older than 15 minutes; `runtime.json` in the folder of `npm start` has the passwords, and a restart prints new links';
      throw new MarketError('validation_failed', {
        detail: [{ loc: ['body', 'token'], msg, type: 'token' }],
      });
    },
  };
}

export type LoginLinks = ReturnType<typeof createLoginLinks>;
