import { agentIdOf } from '../domain/catalogue/slug';
import { createMarketApi, type MarketApi } from './api-client';
import { CliFailure, EXIT, usageFailure } from './failure';
import { isLoopback, localStack } from './local-stack';
import { ownerOf, ownerText } from './login/owner';
import { DEFAULT_PROFILE, profileOf, readSessions, type SavedSession } from './login/session-file';
import { oneLine } from './terminal/terminal-text';
import { parsedUrl } from '../kit/parsed-url';

/** Options that every verb of the API accepts. */
export interface GlobalOptions {
  json?: boolean;
  api?: string;
  profile?: string;
  owner?: string;
}

/**
 * The origin of the marketplace that a verb calls: `--api`, else MARKET_API_URL, else the marketplace of the profile's
 * last login, else that of the last login, else the local stack, which must be on this machine. Throws `CliFailure`
 * (exit 2) when none is set, or when the URL is neither HTTPS nor on a loopback host: passwords and sessions must not
 * cross a network unencrypted.
 */
export function apiAddress(options: GlobalOptions): string {
  const address =
    options.api ??
    (process.env['MARKET_API_URL'] || undefined) ??
    readSessions(profileOf(options)).current ??
    readSessions(DEFAULT_PROFILE).current ??
    localStack()?.api_url;
  if (!address)
    throw usageFailure('no marketplace is configured: pass --api https://…, or set MARKET_API_URL');
  const url = parsedUrl(address);
  if (!url) throw usageFailure(`${address} is not a URL: write it as https://host`);
  const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  if (!isAllowed) throw usageFailure(`${url.origin} must use https://`);
  return url.origin;
}

/** An API client with the user's credential: MARKET_API_KEY, else what `market login` saved, else none. */
export function connect(options: GlobalOptions): MarketApi {
  const url = apiAddress(options);
  const apiKey = process.env['MARKET_API_KEY'];
  if (apiKey) return createMarketApi(url, { apiKey, ...actingFor(options, undefined) });
  const saved = readSessions(profileOf(options)).sessions[url];
  const { cookie, apiKey: ownKey } = saved ?? {};
  return createMarketApi(url, {
    cookie,
    apiKey: ownKey,
    login: loginOf(options),
    ...actingFor(options, saved),
  });
}

/**
 * An API client with the session of `market login`, for operations that API keys must not perform. Throws `CliFailure`
 * (exit 3) without a session.
 */
export function connectPerson(options: GlobalOptions): MarketApi {
  const url = apiAddress(options);
  const cookie = requireSession(url, options);
  const saved = readSessions(profileOf(options)).sessions[url];
  return createMarketApi(url, { cookie, login: loginOf(options), ...actingFor(options, saved) });
}

/**
 * The path of the organisation that a verb is about: that of `--owner`, or the one for which the verbs act. Throws
 * `CliFailure` (exit 2) if the verbs act for the person.
 */
export function organisationPath(options: GlobalOptions): string {
  const owner = ownerOf(options, readSessions(profileOf(options)).sessions[apiAddress(options)]);
  if (owner) return `/v1/organisations/${owner.id}`;
  throw usageFailure('name the organisation with --owner org_…, or choose it: market orgs use org_…');
}

/** The owner of the requests, which a person sees before the first change. */
function actingFor(options: GlobalOptions, saved: SavedSession | undefined) {
  const owner = ownerOf(options, saved);
  if (!owner) return {};
  const onChange = () => {
    if (!options.json) process.stderr.write(`for ${oneLine(ownerText(owner))}\n`);
  };
  return { owner: { ...owner, onChange } };
}

/**
 * Resolves an agent argument to an agent id, by one rule for every verb. An id is returned unchanged. A slug gives its
 * highest live major version, or else the highest major version of the caller's own agent of that slug, which need not
 * be live. Throws `CliFailure` (exit 2) when the argument is neither, and `not_found` with the slug when there is no
 * such agent.
 */
export async function findAgent(api: MarketApi, agent: string): Promise<string> {
  if (/^agt_[a-z0-9_]+$/.test(agent)) return agent;
  if (!/^[a-z0-9-]{1,64}$/.test(agent))
    throw usageFailure(`${agent} is neither an agent id (agt_…) nor a slug`);
  try {
    const { agent_id } = await api.call<{ agent_id: string }>('GET', `/v1/listings/slug/${agent}`);
    return agent_id;
  } catch (error) {
    if (!(error instanceof CliFailure) || error.json['code'] !== 'not_found') throw error;
    const own = await ownAgentOf(api, agent);
    if (own) return own;
    const message = `no agent has the slug ${agent}: neither a live one, nor one of yours. Agents that are live: market listings`;
    throw new CliFailure(message, error.exitCode, error.json);
  }
}

/** The caller's own agent of that slug, in its highest major version; undefined if there is none that may be read. */
async function ownAgentOf(api: MarketApi, slug: string): Promise<string | undefined> {
  const majors: string[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '100', ...(cursor !== null && { cursor }) });
    const page: OwnPage = await api
      .call<OwnPage>('GET', `/v1/developer/agents?${query.toString()}`)
      .catch(withoutRights);
    majors.push(...page.items.filter((item) => item.slug === slug).map(({ agent_id }) => agent_id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return majors.sort((a, b) => majorOf(b) - majorOf(a))[0];
}

interface OwnPage {
  items: { agent_id: string; slug: string }[];
  next_cursor: string | null;
}

function withoutRights(error: unknown): OwnPage {
  if (error instanceof CliFailure && error.exitCode === EXIT.login) return { items: [], next_cursor: null };
  throw error;
}

const majorOf = (agentId: string) => Number(agentId.slice(agentId.lastIndexOf('_v') + 2));

/**
 * The same for an operator. A slug finds live agents only, so the failure for another one says
 * how the ids of its versions are made.
 */
export async function findForOperator(api: MarketApi, agent: string): Promise<string> {
  try {
    return await findAgent(api, agent);
  } catch (error) {
    if (!(error instanceof CliFailure) || error.json['code'] !== 'not_found') throw error;
    const message = `no live agent has the slug ${agent}: pass the id of a suspended or retired one, such as ${agentIdOf(agent, 1)}`;
    throw new CliFailure(message, error.exitCode, error.json);
  }
}

/** The saved session cookie for `url`. Throws `CliFailure` (exit 3) when the user is not logged in there. */
export function requireSession(url: string, options: GlobalOptions): string {
  const { cookie, apiKey } = readSessions(profileOf(options)).sessions[url] ?? {};
  if (cookie) return cookie;
  if (apiKey)
    throw new CliFailure(
      `a login by browser may not do this at ${url}: log in with a password, market login --email <email>`,
      EXIT.login,
      { code: 'not_authenticated' },
    );
  throw new CliFailure(`not logged in at ${url}: run ${loginOf(options)}`, EXIT.login, {
    code: 'not_authenticated',
  });
}

/** The command that logs in to the profile of the options. */
function loginOf(options: GlobalOptions): string {
  const profile = profileOf(options);
  return profile === DEFAULT_PROFILE ? 'market login' : `market login --profile ${profile}`;
}
