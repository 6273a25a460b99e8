import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { writePrivate } from '../runtime/processes/private-file';

/** A saved login. The cookie authenticates until it expires, so the file is readable by its owner only. */
export interface SavedSession {
  email: string;
  /** `market_session=…` */
  cookie: string;
}

/** Saved logins by marketplace URL, and the one to use by default. */
export interface SavedSessions {
  current?: string;
  sessions: Record<string, SavedSession>;
}

/** Path of `sessions.json`: in MARKET_CONFIG_DIR, else in `market` under XDG_CONFIG_HOME or `~/.config`. */
export function sessionFile(env: NodeJS.ProcessEnv = process.env): string {
  const folder =
    env['MARKET_CONFIG_DIR'] || join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'market');
  return join(folder, 'sessions.json');
}

export function readSessions(env: NodeJS.ProcessEnv = process.env): SavedSessions {
  try {
    const saved = JSON.parse(readFileSync(sessionFile(env), 'utf8')) as Partial<SavedSessions>;
    return { ...(saved.current && { current: saved.current }), sessions: saved.sessions ?? {} };
  } catch {
    return { sessions: {} };
  }
}

export function saveSession(url: string, session: SavedSession): void {
  const { sessions } = readSessions();
  writePrivate(sessionFile(), { current: url, sessions: { ...sessions, [url]: session } });
}

export function forgetSession(url: string): void {
  const { current, sessions } = readSessions();
  const rest = Object.fromEntries(Object.entries(sessions).filter(([key]) => key !== url));
  writePrivate(sessionFile(), { ...(current && current !== url && { current }), sessions: rest });
}
