/** Accounts of people whom a provider has proven: that of an earlier login, one with the address, or a new one. */
import { MarketError } from '../../domain/errors';
import type { ProvenPerson } from '../../egress/openid/openid';
import { newMailToken } from '../../kit/crypto/mail-token';
import type { Passwords } from '../../kit/crypto/passwords';
import { newId } from '../../kit/ids/ids';
import { requestMail } from '../../stores/accounts/mails';
import { insertLogEntry, setOutcome } from '../../stores/organisations/log';
import { findMember, insertMember } from '../../stores/organisations/members';
import { lockOrganisation } from '../../stores/organisations/organisations';
import {
  confirmEmail,
  deleteUnconfirmed,
  findUser,
  findUserByEmail,
  insertUser,
  lockUserByEmail,
  type UserRow,
} from '../../stores/accounts/users';
import { type Db, type DbPool, uniqueViolation, withTransaction } from '../../stores/db';
import { findIdentity, insertIdentity } from '../../stores/sso/identities';
import { hasDomain, type ProviderRow } from '../../stores/sso/identity-providers';
import { domainOfEmail } from '../../domain/accounts/single-sign-on';
import { type Account, toAccount } from '../accounts/accounts';
import { requirePlaces } from '../organisations/guards';

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
  /**
   * Throws `forbidden` with the reason if the provider may not log this person in, and `invalid_state` if the browser
   * has a session of another account, the account changes at the same time, or the organisation is full.
   */
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
      if (identity) {
        requireNoOther(at.present, identity.userId);
        return known(pool, provider, identity.userId);
      }
      const found = await findUserByEmail(pool, person.email);
      requireOpen(found);
      requireNoOther(at.present, found?.user_id);
      const isFree = !found || (!found.email_confirmed_at && (await deleteUnconfirmed(pool, found.user_id)));
      if (!isFree) requireLinkable(found, at.present);
      // A random password that is stored nowhere; the person may set one by mail.
      const hash = isFree ? await passwords.hash(newMailToken()) : undefined;
      try {
        return await withTransaction(pool, (tx) =>
          link(tx, provider, person, { at, hash, foundId: isFree ? undefined : found.user_id }),
        );
      } catch (error) {
        if (uniqueViolation(error) === 'users_email') throw changed(error);
        throw error;
      }
    },
  };
}

/** The account of an earlier login. It must be one of the company still: by its address, and by its membership. */
async function known(pool: DbPool, provider: ProviderRow, userId: string): Promise<Account> {
  const user = await findUser(pool, userId);
  if (!user || user.closed_at) throw refusal('the account of this person does not exist any more');
  requirePerson(user);
  if (!(await hasDomain(pool, provider.providerId, domainOfEmail(user.email) ?? '')))
    throw refusal('the account has an address outside of the company now. Log in with its password');
  if (!(await findMember(pool, provider.orgId, userId)))
    throw refusal('you are no member of the organisation any more. An admin can invite you again');
  return toAccount(user);
}

/** A login replaces no session of another account: a link of another site must not move a visitor to its account. */
function requireNoOther(present: PresentPerson | undefined, userId: string | undefined): void {
  if (present && present.userId !== userId)
    throw new MarketError('invalid_state', {
      message: 'You are logged in as another account. Log out first.',
    });
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

/** An account that is being deleted keeps its address until it is erased. */
function requireOpen(user: UserRow | undefined): void {
  if (user?.closed_at)
    throw refusal('the account with this address is being deleted. Sign in again when that is done');
}

function requirePerson(user: UserRow): void {
  if (user.role === 'operator')
    throw refusal('operators log in with a password and a code of their authenticator app');
}

interface LinkFacts {
  at: Circumstances;
  /** Of the password of a new account. */
  hash: string | undefined;
  /** The account that had the address before the organisation was locked. */
  foundId: string | undefined;
}

async function link(
  tx: Db,
  provider: ProviderRow,
  person: SignedInPerson,
  { at, hash, foundId }: LinkFacts,
): Promise<Account> {
  const { providerId, orgId } = provider;
  if (!(await lockOrganisation(tx, orgId))) throw refusal('the organisation has ended');
  const user =
    foundId === undefined
      ? await newPerson(tx, person, hash ?? '')
      : await linkable(tx, person, foundId, at.present);
  if (!(await insertIdentity(tx, { providerId, subject: person.subject, userId: user.user_id })))
    throw refusal('the account with this address belongs to another person at the provider');
  if (!(await findMember(tx, orgId, user.user_id))) {
    await requirePlaces(tx, orgId);
    await insertMember(tx, { orgId, userId: user.user_id, role: provider.defaultRole, invitedBy: null });
  }
  if (foundId !== undefined)
    await requestMail(tx, { recipient: user.user_id, kind: 'company_login_linked', subject: orgId });
  await note(tx, provider, user.user_id, at);
  return toAccount(user);
}

/** The account with the address as it is now. What was read before the lock may have changed. */
async function linkable(
  tx: Db,
  { email }: SignedInPerson,
  foundId: string,
  present: PresentPerson | undefined,
): Promise<UserRow> {
  const user = await lockUserByEmail(tx, email);
  if (user?.user_id !== foundId) throw changed();
  requireOpen(user);
  requireLinkable(user, present);
  return user;
}

/** Notes the first login in the log of the organisation. Its operation is public, so the log of requests has it not. */
async function note(
  tx: Db,
  { orgId, providerId: subject }: ProviderRow,
  person: string,
  { network, traceId }: Circumstances,
): Promise<void> {
  const entryId = newId('oac');
  const by = { person, keyId: null, network, userAgent: null, traceId };
  await insertLogEntry(tx, { entryId, orgId, action: 'finishSso', subject, ...by });
  await setOutcome(tx, entryId, 'done');
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

const changed = (cause?: unknown) =>
  new MarketError('invalid_state', { message: 'The account has changed just now. Sign in again.', cause });

function refusal(reason: string): MarketError {
  return new MarketError('forbidden', { message: `The company sign-in was refused: ${reason}.` });
}
