/**
 * Sessions of legacy clients (ADR 0312). A client declares what it can do in `initialize` only, and the server keeps no
 * sessions. So the id of a session says what is needed of it later: whether the client shows forms, and from which
 * level on it wants log messages (ADR 0327).
 */
import { randomUUID } from 'node:crypto';

const FORMS = 'forms-';
const LEVEL = /^(?:forms-)?log\.([a-z]{4,9})-/;

interface Session {
  /** The client shows forms. */
  forms?: boolean;
  logLevel?: string;
}

/** The id of a session of a client. */
export const newSessionId = ({ forms = false, logLevel }: Session): string =>
  `${forms ? FORMS : ''}${logLevel === undefined ? '' : `log.${logLevel}-`}${randomUUID()}`;

/** True for the session of a client that shows forms. */
export const isEliciting = (sessionId: string | undefined): boolean => sessionId?.startsWith(FORMS) === true;

/** The level of a session whose client has set one. */
export const logLevelOf = (sessionId: string | undefined): string | undefined =>
  LEVEL.exec(sessionId ?? '')?.[1];
