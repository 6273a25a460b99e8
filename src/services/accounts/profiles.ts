/** Changes that a person makes to the own account: name, email address, and the role of a seller. */
import { NO_TIME_ZONE } from '../../domain/accounts/time-zone';
import { MarketError } from '../../domain/errors';
import { addPoints } from '../../stores/accounts/rate-limits';
import { requestMail } from '../../stores/accounts/mails';
import {
  findUser,
  findUserByEmail,
  setPendingEmail,
  setTimeZone,
  updateDisplayName,
  updateRoleToDeveloper,
  type UserRow,
} from '../../stores/accounts/users';
import { type DbPool, withTransaction } from '../../stores/db';
import { type Account, normalizeEmail, toAccount } from './accounts';
import { withDeveloperId } from './developer-ids';

const HOUR_MS = 3_600_000;
/** Changes of address that one account asks for in an hour, because each sends two mails. */
const MOST_EMAIL_CHANGES = 10;

export function createProfiles({ pool }: { pool: DbPool }) {
  return {
    /**
     * Changes name and time zone of the account; omitted ones stay. The developer id stays, because agents and listings
     * refer to it. Throws `validation_failed` for a zone that the database does not know.
     */
    async change(
      userId: string,
      { displayName, timeZone }: { displayName?: string | undefined; timeZone?: string | undefined },
    ): Promise<Account> {
      if (timeZone !== undefined && !(await setTimeZone(pool, userId, timeZone)))
        throw new MarketError('validation_failed', { detail: [NO_TIME_ZONE] });
      if (displayName !== undefined) return toAccount(await updateDisplayName(pool, userId, displayName));
      return toAccount(await find(pool, userId));
    },

    /**
     * Asks for another email address. The account keeps the present one until the mail to the new one is confirmed
     * (`recovery.confirm`); a mail reports the request to the present one. The present address withdraws an earlier
     * request. Throws `email_taken` for the address of another account, `rate_limited` after ten requests in an hour.
     */
    async changeEmail(userId: string, wish: string): Promise<Account> {
      const email = normalizeEmail(wish);
      const user = await find(pool, userId);
      if (email === user.email) return toAccount(await setPendingEmail(pool, userId, null));
      await countChange(pool, userId);
      if (await findUserByEmail(pool, email)) throw new MarketError('email_taken');
      return withTransaction(pool, async (tx) => {
        const row = await setPendingEmail(tx, userId, email);
        await requestMail(tx, { recipient: userId, kind: 'change_email' });
        await requestMail(tx, { recipient: userId, kind: 'email_change_requested' });
        return toAccount(row);
      });
    },

    /** Makes a buyer a developer, who goes on buying. Changes nothing for other accounts. */
    async startSelling(userId: string): Promise<Account> {
      const user = await find(pool, userId);
      if (user.role !== 'buyer') return toAccount(user);
      const become = withDeveloperId(pool, user.display_name, (tx, id) =>
        updateRoleToDeveloper(tx, userId, id),
      );
      return toAccount((await become) ?? (await find(pool, userId)));
    },
  };
}

async function find(pool: DbPool, userId: string): Promise<UserRow> {
  const user = await findUser(pool, userId);
  if (!user) throw new MarketError('not_authenticated');
  return user;
}

async function countChange(pool: DbPool, userId: string): Promise<void> {
  const key = `email-change/${userId}`;
  const [counter] = await addPoints(pool, [{ key, points: 1, windowMs: HOUR_MS }]);
  if (!counter || counter.points <= MOST_EMAIL_CHANGES) return;
  throw new MarketError('rate_limited', {
    message: `An account can ask for another email address ${MOST_EMAIL_CHANGES} times an hour. Wait and retry.`,
    retryAfterSeconds: Math.max(1, Math.ceil(counter.endsInMs / 1_000)),
  });
}

export type Profiles = ReturnType<typeof createProfiles>;
