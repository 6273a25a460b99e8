/** Accounts of people whom a provider has proven: that of an earlier login, one with the address, or a new one. */
import { MarketError } from '../../domain/errors';
import type { ProvenPerson } from '../../egress/openid/openid';
import { newMailToken } from '../../kit/crypto/mail-token';
import type { Passwords } from '../../kit/crypto/passwords';
import { newId } from '../../kit/ids/ids';
import { requestMail } from '../../stores/accounts/mails';
import { countMembers, findMember, insertMember } from '../../stores/organisations/members';
import {
  confirmEmail,
  deleteUnconfirmed,
  findUser,
  findUserByEmail,
  insertUser,
  type UserRow,
} from '../../stores/accounts/users';
import { type Db, type DbPool, uniqueViolation, withTransaction } from '../../stores/db';
import { findIdentity, insertIdentity } from '../../stores/sso/identities';
import {
  hasDomain,
  insertAction,
  lockOrganisation,
  type ProviderRow,
} from '../../stores/sso/identity-providers';
import { MAX_MEMBERS } from '../../domain/accounts/roles';
import { domainOfEmail } from '../../domain/accounts/single-sign-on';
import { type Account, toAccount } from '../accounts/accounts';

const MOST_NAME_CHARACTERS = 80;

/** The session of the browser before the login. */
export interface PresentPerson {
  userId: string;
  secondFactor: boolean;
}

interface Circumstances {
  present: PresentPerson | undefined;
  network: string;
  traceId: string;
}

export type SignedInPerson = Omit<ProvenPerson, 'email'> & { email: string };

export interface PersonFinder {
  /** Throws `forbidden` with the reason if the provider may not log this person in. */
  accountOf: (provider: ProviderRow, person: SignedInPerson, at: Circumstances) => Promise<Account>;
}

export function createPersonFinder({
  pool,
  passwords,
}: {
  pool: DbPool;
  passwords: Passwords;
}): PersonFinder {
  return {
    async accountOf(provider, person, at) {
      const identity = await findIdentity(pool, provider.providerId, person.subject);
      if (identity) return known(pool, provider, identity.userId);
      const present = await findUserByEmail(pool, person.email);
      const isFree =
        !present || (!present.email_confirmed_at && (await deleteUnconfirmed(pool, present.user_id)));
      if (!isFree) requireLinkable(present, at.present);
      // A random password that is stored nowhere; the person may set one by mail.
      const hash = isFree ? await passwords.hash(newMailToken()) : undefined;
      try {
        return await withTransaction(pool, (tx) =>
          link(tx, provider, person, { at, hash, present: isFree ? undefined : present }),
        );
      } catch (error) {
        if (uniqueViolation(error) !== 'users_email') throw error;
        throw new MarketError('invalid_state', {
          message: 'The account was created just now. Sign in again.',
          cause: error,
        });
      }
    },
  };
}

/** The account of an earlier login. It must be one of the company still: by its address, and by its membership. */
async function known(pool: DbPool, provider: ProviderRow, userId: string): Promise<Account> {
  const user = await findUser(pool, userId);
  if (!user) throw refusal('the account of this person does not exist any more');
  requirePerson(user);
  if (!(await hasDomain(pool, provider.providerId, domainOfEmail(user.email) ?? '')))
    throw refusal('the account has an address outside of the company now. Log in with its password');
  if (!(await findMember(pool, provider.orgId, userId)))
    throw refusal('you are no member of the organisation any more. An admin can invite you again');
  return toAccount(user);
}

/** An account with this address is linked if its address is confirmed and no second factor would be passed by. */
function requireLinkable(user: UserRow, present: PresentPerson | undefined): void {
  requirePerson(user);
  if (!user.email_confirmed_at)
    throw refusal(
      'an account with this address exists, and the address is not confirmed. Log in with its password and confirm it',
    );
  if (!user.authenticator_since) return;
  if (present?.userId === user.user_id && present.secondFactor) return;
  throw refusal(
    'the account with this address has an authenticator app. Log in with its password and a code once, and begin the company sign-in again in that session',
  );
}

function requirePerson(user: UserRow): void {
  if (user.role === 'operator')
    throw refusal('operators log in with a password and a code of their authenticator app');
}

interface LinkFacts {
  at: Circumstances;
  /** Of the password of a new account. */
  hash: string | undefined;
  /** The account that has the address. */
  present: UserRow | undefined;
}

async function link(
  tx: Db,
  provider: ProviderRow,
  person: SignedInPerson,
  { at, hash, present }: LinkFacts,
): Promise<Account> {
  const { providerId, orgId } = provider;
  if (!(await lockOrganisation(tx, orgId))) throw refusal('the organisation has ended');
  const user = present ?? (await newPerson(tx, person, hash ?? ''));
  if (!(await insertIdentity(tx, { providerId, subject: person.subject, userId: user.user_id })))
    throw refusal('the account with this address belongs to another person at the provider');
  if (!(await findMember(tx, orgId, user.user_id))) {
    if ((await countMembers(tx, orgId)) >= MAX_MEMBERS)
      throw refusal(`the organisation has ${MAX_MEMBERS} members, which is the most`);
    await insertMember(tx, { orgId, userId: user.user_id, role: provider.defaultRole, invitedBy: null });
  }
  if (present)
    await requestMail(tx, { recipient: user.user_id, kind: 'company_login_linked', subject: orgId });
  const { network, traceId } = at;
  const entry = { orgId, person: user.user_id, action: 'finishSso', subject: providerId };
  await insertAction(tx, { ...entry, network, traceId });
  return toAccount(user);
}

/** A buyer whose address the provider has confirmed. */
async function newPerson(tx: Db, { email, name }: SignedInPerson, hash: string): Promise<UserRow> {
  const display_name = displayName(name) ?? displayName(email.split('@')[0]) ?? 'Member';
  const row = {
    user_id: newId('usr'),
    email,
    password_hash: hash,
    display_name,
    role: 'buyer',
    developer_id: null,
  } as const;
  const user = await insertUser(tx, row);
  await confirmEmail(tx, user.user_id);
  return { ...user, email_confirmed_at: user.created_at };
}

function displayName(text: string | undefined): string | undefined {
  const clean = (text ?? '')
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ')
    .trim();
  const cut = Array.from(clean).slice(0, MOST_NAME_CHARACTERS).join('').trim();
  return cut === '' ? undefined : cut;
}

function refusal(reason: string): MarketError {
  return new MarketError('forbidden', { message: `The company sign-in was refused: ${reason}.` });
}
