import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { writePrivate } from '../runtime/processes/private-file';

/** One log-in. The cookie is as good as the password until it ends: the file is readable by its user alone. */
export interface SavedSession {
  email: string;
  /** `market_session=…` */
  cookie: string;
}

/** Log-ins by the address of the marketplace, and which one is used when none is named. */
export interface SavedSessions {
  current?: string;
  sessions: Record<string, SavedSession>;
}

/** `sessions.json` in MARKET_CONFIG_DIR, else in `market` of XDG_CONFIG_HOME or `~/.config`. */
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
