/** The sessions of an account, listed and ended by its owner. The ids shown cannot be used as cookies. */
import { createHash } from 'node:crypto';
import { MarketError } from '../../domain/errors';
import { asRecord } from '../../domain/json-value';
import { noteLogin } from '../../stores/accounts/alerts';
import { noteDevice } from '../../stores/accounts/owner-signs';
import {
  deleteExpiredSessions,
  deleteOtherSessions,
  deleteSessions,
  listSessions,
  trimSessions,
} from '../../stores/accounts/sessions';
import type { MemberRole } from '../../domain/accounts/roles';
import type { ActingOwnerRow } from '../../stores/organisations/members';
import type { SessionRow } from '../../stores/accounts/sessions';
import type { UserRow } from '../../stores/accounts/users';
import type { DbPool } from '../../stores/db';

/** Expired sessions that one statement deletes. */
const PURGE_ROWS = 1_000;

export interface SessionView {
  sessionId: string;
  startedAt: Date | null;
  expiresAt: Date;
  /** The client's name for itself, and its network, when the session began. */
  userAgent: string | null;
  network: string | null;
  isCurrent: boolean;
}

export function createSessionList({ pool }: { pool: DbPool }) {
  return {
    /** Lists the sessions of the account, at most 100. `sid`: the session of the request. */
    async list(userId: string, sid: string): Promise<SessionView[]> {
      const rows = await listSessions(pool, userId);
      return rows.map((row) => viewOf(row, sid));
    },

    /** Ends a session of the account. Throws `not_found`. */
    async end(userId: string, sessionId: string): Promise<void> {
      const rows = await listSessions(pool, userId);
      const sids = rows.map(({ sid }) => sid).filter((sid) => publicId(sid) === sessionId);
      if ((await deleteSessions(pool, userId, sids)) === 0) throw new MarketError('not_found');
    },

    /** Ends all sessions of the account but that of the request. */
    endOthers: (userId: string, sid: string): Promise<void> => deleteOtherSessions(pool, userId, sid),

    /**
     * Ends the oldest sessions of an account that has more than 100, and notifies the account of a login from a new
     * network. `device`: the id that the browser keeps, if it does.
     */
    async began(userId: string, network: string, device?: string): Promise<void> {
      await trimSessions(pool, userId);
      await noteLogin(pool, userId, network);
      if (device !== undefined) await noteDevice(pool, userId, device);
    },

    /** Deletes sessions that have expired, in batches. */
    async purge(): Promise<void> {
      while ((await deleteExpiredSessions(pool, PURGE_ROWS)) >= PURGE_ROWS);
    },
  };
}

/** `ses_` and a hash, because the id itself is a secret. */
function publicId(sid: string): string {
  return `ses_${createHash('sha256').update(sid).digest('hex').slice(0, 32)}`;
}

function viewOf(row: { sid: string; sess: unknown; expire: Date }, sid: string): SessionView {
  const { startedAt, userAgent, network } = asRecord(row.sess);
  return {
    sessionId: publicId(row.sid),
    startedAt: typeof startedAt === 'number' ? new Date(startedAt) : null,
    expiresAt: row.expire,
    userAgent: typeof userAgent === 'string' ? userAgent : null,
    network: typeof network === 'string' ? network : null,
    isCurrent: row.sid === sid,
  };
}

export type SessionList = ReturnType<typeof createSessionList>;

/** An organisation as the owner of a request of one of its members. */
export interface ActingOwner {
  userId: string;
  role: UserRow['role'];
  developerId: string | null;
  registrationPaid: boolean;
  keepsBodies: boolean;
  memberRole: MemberRole;
  requiresSecondFactor: boolean;
  requiresSso: boolean;
}

/** What an organisation demands of the sessions of its members, and a session lacks. */
export type SessionLack = 'company_sign_in' | 'second_factor';

/** The organisation that a person chose for the session. */
export interface ChosenOwner {
  ownerId: string;
  /** Null if the person is no member of it any more. */
  owner: ActingOwner | null;
  /** Why requests for it are refused; null if they are answered. */
  refused: 'not_a_member' | SessionLack | null;
}

export interface LiveSession {
  data: unknown;
  expiresAt: Date;
  /** Null if the session is anonymous, or if its user no longer exists. */
  user: {
    userId: string;
    role: UserRow['role'];
    developerId: string | null;
    registrationPaid: boolean;
    emailConfirmed: boolean;
    hasAuthenticator: boolean;
    /** True if the account keeps inputs and outputs of its calls. */
    keepsBodies: boolean;
    /** The owner that the person chose for the session; null for the personal account. */
    chosenOwner: string | null;
    /** The chosen organisation; null if the person is no member of it. */
    owner: ActingOwner | null;
  } | null;
}

export function toActingOwner(row: ActingOwnerRow): ActingOwner {
  return {
    userId: row.owner_id,
    role: row.owner_role,
    developerId: row.owner_developer_id,
    registrationPaid: row.owner_registration_paid_at !== null,
    keepsBodies: row.owner_keeps_bodies,
    memberRole: row.member_role,
    requiresSecondFactor: row.requires_second_factor,
    requiresSso: row.requires_sso,
  };
}

/** The user of a session; null for an anonymous session. */
export function userOf(row: SessionRow): LiveSession['user'] {
  const { user_id: userId, role } = row;
  if (userId === null || role === null) return null;
  return {
    userId,
    role,
    developerId: row.developer_id,
    registrationPaid: row.registration_paid_at !== null,
    emailConfirmed: row.email_confirmed_at !== null,
    hasAuthenticator: row.authenticator_since !== null,
    keepsBodies: row.keeps_bodies === true,
    chosenOwner: row.chosen_owner,
    owner: row.owner_id === null ? null : toActingOwner(row as ActingOwnerRow),
  };
}
