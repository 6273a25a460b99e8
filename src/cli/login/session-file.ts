import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { usageFailure } from '../failure';
import { writePrivate } from '../../runtime/processes/private-file';

/** An organisation for which the verbs of a login act. */
export interface SavedOwner {
  id: string;
  name?: string;
}

/** A saved login. The cookie authenticates until it expires, so the file is readable by its owner only. */
export interface SavedSession {
  email: string;
  /** `market_session=…` of a login by password. */
  cookie?: string;
  /** The key of a login by browser. */
  apiKey?: string;
  keyId?: string;
  scopes?: string;
  /** The organisation that `market orgs use` chose, or the one that the key belongs to; absent for yourself. */
  owner?: SavedOwner;
}

/** Saved logins by marketplace URL, and the one to use by default. */
interface SavedSessions {
  current?: string;
  sessions: Record<string, SavedSession>;
}

/** The file: the logins of the profile `default`, and those of the others by name. */
interface SavedProfiles extends SavedSessions {
  profiles?: Record<string, SavedSessions>;
}

export const DEFAULT_PROFILE = 'default';

/** Path of `sessions.json`: in MARKET_CONFIG_DIR, else in `market` under XDG_CONFIG_HOME or `~/.config`. */
export function sessionFile(env: NodeJS.ProcessEnv = process.env): string {
  const folder =
    env['MARKET_CONFIG_DIR'] || join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'market');
  return join(folder, 'sessions.json');
}

/** The profile of a command: `--profile`, else MARKET_PROFILE, else `default`. */
export function profileOf(options: { profile?: string }): string {
  const name = options.profile ?? (process.env['MARKET_PROFILE'] || DEFAULT_PROFILE);
  if (/^[\w.-]{1,64}$/.test(name)) return name;
  throw usageFailure(`${name} is not a profile: use letters, digits, ".", "_" and "-"`);
}

export function readSessions(profile: string): SavedSessions {
  const { profiles, ...own } = readProfiles();
  return (profile === DEFAULT_PROFILE ? own : profiles?.[profile]) ?? { sessions: {} };
}

/** The names of the profiles that have logins. */
export function profileNames(): string[] {
  const { sessions, profiles = {} } = readProfiles();
  return [...(Object.keys(sessions).length > 0 ? [DEFAULT_PROFILE] : []), ...Object.keys(profiles)];
}

/**
 * Saves a login, which goes on to act for the organisation that the account chose before. If it replaces the login of
 * another account, returns a sentence that says so, for the terminal; otherwise an empty string.
 */
export function saveSession(profile: string, url: string, session: SavedSession): string {
  const { sessions } = readSessions(profile);
  const before = sessions[url];
  const isSame = before?.email === session.email;
  const kept = isSame && session.cookie && before?.cookie && before.owner ? { owner: before.owner } : {};
  write(profile, { current: url, sessions: { ...sessions, [url]: { ...kept, ...session } } });
  if (!before || isSame) return '';
  return `It replaces the login of ${before.email} there; "--profile <name>" keeps several logins beside each other.\n`;
}

/** Remembers for whom the verbs of a login act; undefined for yourself. */
export function saveOwner(profile: string, url: string, owner: SavedOwner | undefined): void {
  const { sessions, ...rest } = readSessions(profile);
  const { owner: _owner, ...session } = sessions[url] ?? { email: '' };
  write(profile, { ...rest, sessions: { ...sessions, [url]: { ...session, ...(owner && { owner }) } } });
}

export function forgetSession(profile: string, url: string): void {
  const { current, sessions } = readSessions(profile);
  const rest = Object.fromEntries(Object.entries(sessions).filter(([key]) => key !== url));
  write(profile, { ...(current && current !== url && { current }), sessions: rest });
}

/** Throws `CliFailure` (exit 2) for a file that is not one that `write` has written. */
function readProfiles(): SavedProfiles {
  const path = sessionFile();
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (!NO_FILE.has((error as NodeJS.ErrnoException).code)) throw error;
    return { sessions: {} };
  }
  try {
    const saved = JSON.parse(text) as Partial<SavedProfiles>;
    return { ...saved, sessions: saved.sessions ?? {} };
  } catch {
    throw usageFailure(`${path}, which keeps your logins, is damaged: delete it, and log in again`);
  }
}

const NO_FILE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR']);

function write(profile: string, saved: SavedSessions): void {
  const { profiles, ...own } = readProfiles();
  writePrivate(
    sessionFile(),
    profile === DEFAULT_PROFILE
      ? { ...saved, ...(profiles && { profiles }) }
      : { ...own, profiles: { ...profiles, [profile]: saved } },
  );
}
