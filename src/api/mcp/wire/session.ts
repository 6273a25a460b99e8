/**
 * Sessions of legacy clients (ADR 0312). A client declares what it can do in `initialize` only, and the server keeps no
 * sessions. So the id of a session says the one thing that is needed of it later: whether the client shows forms.
 */
import { randomUUID } from 'node:crypto';

const PREFIX = 'forms-';

/** The id of a new session of a client that shows forms. */
export const newSessionId = (): string => `${PREFIX}${randomUUID()}`;

/** True for the session of a client that shows forms. */
export const isEliciting = (sessionId: string | undefined): boolean => sessionId?.startsWith(PREFIX) === true;
