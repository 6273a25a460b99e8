import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { RuntimeFile } from '../runtime/runtime-file';
import { createMarketApi, type MarketApi } from './api-client';
import { CliFailure, EXIT, usageFailure } from './failure';
import { readSessions } from './session-file';

/** Options of the program that every verb of the API has. */
export interface GlobalOptions {
  json?: boolean;
  api?: string;
}

/** What `.market/runtime.json` (MARKET_HOME) says of the stack that runs here; undefined when none does. */
export function localStack(env: NodeJS.ProcessEnv = process.env): RuntimeFile | undefined {
  try {
    return JSON.parse(
      readFileSync(join(env['MARKET_HOME'] ?? '.market', 'runtime.json'), 'utf8'),
    ) as RuntimeFile;
  } catch {
    return undefined;
  }
}

/**
 * The marketplace that a verb talks to: `--api`, MARKET_API_URL, the one of the last log-in, else the stack that runs
 * here. Without TLS only on this machine, because passwords and sessions go there.
 */
export function apiAddress(options: GlobalOptions): string {
  const address =
    options.api ??
    (process.env['MARKET_API_URL'] || undefined) ??
    readSessions().current ??
    localStack()?.api_url;
  if (!address) throw usageFailure('name the marketplace: --api https://…, or MARKET_API_URL');
  if (!URL.canParse(address)) throw usageFailure(`${address} is not an address`);
  const url = new URL(address);
  const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  if (!isAllowed) throw usageFailure(`${url.origin} is not https://`);
  return url.origin;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** The API with the credential of this user: MARKET_API_KEY, else the session of `market login`, else none. */
export function connect(options: GlobalOptions): MarketApi {
  const url = apiAddress(options);
  const apiKey = process.env['MARKET_API_KEY'];
  if (apiKey) return createMarketApi(url, { apiKey });
  return createMarketApi(url, { cookie: readSessions().sessions[url]?.cookie });
}

/** The API with the session of `market login`, for what API keys cannot do; exit 3 without one. */
export function connectPerson(options: GlobalOptions): MarketApi {
  const url = apiAddress(options);
  return createMarketApi(url, { cookie: requireSession(url) });
}

/** The agent that is meant: its id as it stands, or the highest live major of a slug. */
export async function findAgent(api: MarketApi, agent: string): Promise<string> {
  if (/^agt_[a-z0-9_]+$/.test(agent)) return agent;
  if (!/^[a-z0-9-]{1,64}$/.test(agent))
    throw usageFailure(`${agent} is neither an agent id (agt_…) nor a slug`);
  const { agent_id } = await api.call<{ agent_id: string }>('GET', `/v1/listings/slug/${agent}`);
  return agent_id;
}

/** A session, for what API keys cannot do. */
export function requireSession(url: string): string {
  const cookie = readSessions().sessions[url]?.cookie;
  if (cookie) return cookie;
  throw new CliFailure(`not logged in at ${url}: market login`, EXIT.login, { code: 'not_authenticated' });
}
