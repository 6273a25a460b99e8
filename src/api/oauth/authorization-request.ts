import type { Request } from 'express';
import { API_SCOPES, type ApiScope } from '../../domain/accounts/api-key';
import { MarketError } from '../../domain/errors';
import { isStorable } from '../../domain/json-value';
import { clientNetwork } from '../../kit/client-address';
import type { ServingVersions } from '../../services/catalogue/serving-version-cache';
import { isRegisteredRedirect, redirectHost } from '../../services/oauth/client-metadata';
import type { OauthClientInfo, OauthClients } from '../../services/oauth/oauth-clients';
import { type Audience, audienceOfResource, resourceOf } from '../../services/oauth/resource';
import { scopesOf } from './metadata';
import type { Question } from './pages';

/** A valid authorization request (RFC 6749, section 4.1.1, with PKCE and one resource). */
export interface AuthorizationRequest {
  client: OauthClientInfo;
  redirectUri: string;
  state: string | undefined;
  codeChallenge: string;
  question: Question;
  /** Those of the given owners that may call the agent. */
  callers: readonly string[];
}

export interface AuthorizationRequestDeps {
  clients: Pick<OauthClients, 'find'>;
  servingVersions: Pick<ServingVersions, 'ofAgent'>;
  /** The public origin of the service. */
  origin: string;
}

/** Why a request is not valid. `back` is set once the redirect address is known to be the client's. */
export class RequestProblem extends Error {
  constructor(
    message: string,
    readonly back?: { host: string; address: string },
  ) {
    super(message);
  }
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
/**
 * A scope of other services that clients add to those of this one. It asks for refresh tokens, which each grant has.
 */
const OFFLINE_ACCESS = 'offline_access';

/**
 * Reads an authorization request. `owners`: the accounts for which the person who is signed in may decide. Throws
 * `RequestProblem` for an invalid request, `OauthFailure` for an unusable client metadata document.
 */
export async function readAuthorizationRequest(
  deps: AuthorizationRequestDeps,
  req: Request,
  owners: readonly string[],
): Promise<AuthorizationRequest> {
  const param = (name: string) => single(req, name);
  const client = await findClient(deps, req, param('client_id'));
  const redirectUri = param('redirect_uri') ?? '';
  if (!isRegisteredRedirect(client.redirectUris, redirectUri))
    throw new RequestProblem(
      'The address to which you would be sent back is not one that the application registered.',
    );
  const state = param('state');
  const host = redirectHost(redirectUri);
  const refuse = (code: string, message: string) => {
    const fields = { error: code, error_description: message, state, iss: deps.origin };
    return new RequestProblem(message, { host, address: withParams(redirectUri, fields) });
  };
  requireForm(param, refuse);
  const codeChallenge = param('code_challenge') ?? '';
  if (param('code_challenge_method') !== 'S256' || !CHALLENGE.test(codeChallenge))
    throw refuse('invalid_request', 'The application must send a code_challenge with the method S256.');
  const { callers, ...agent } = await findAgent(deps, { resource: param('resource'), owners }, refuse);
  const defaults = scopesOf(agent.agentId);
  const question = {
    clientName: client.name,
    clientDocument: client.isDocument ? client.clientId : undefined,
    redirectHost: host,
    ...agent,
    scopes: readScopes(param('scope'), defaults, refuse),
  };
  return { client, redirectUri, state, codeChallenge, question, callers };
}

type Refuse = (code: string, message: string) => RequestProblem;

/** A parameter; undefined for one without a value (RFC 6749, section 3.1). Throws `RequestProblem`. */
function single(req: Request, name: string): string | undefined {
  const value = req.query[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new RequestProblem(`The parameter ${name} is there more than once.`);
  if (!isStorable(value))
    throw new RequestProblem(`The parameter ${name} contains a character that no text may contain.`);
  return value;
}

async function findClient(
  { clients }: AuthorizationRequestDeps,
  req: Request,
  clientId = '',
): Promise<OauthClientInfo> {
  const client = await clients.find(clientId, clientNetwork(req.ip));
  if (client) return client;
  throw new RequestProblem(
    'The application is not registered here, or its registration has ended. Connect it again from its own settings.',
  );
}

function requireForm(param: (name: string) => string | undefined, refuse: Refuse): void {
  if (param('response_type') !== 'code')
    throw refuse('unsupported_response_type', 'The response_type must be code.');
  if ((param('response_mode') ?? 'query') !== 'query')
    throw refuse('invalid_request', 'The response_mode must be query.');
  if (param('request') !== undefined || param('request_uri') !== undefined)
    throw refuse('request_not_supported', 'Request objects are not supported.');
  if (param('prompt') === 'none')
    throw refuse('interaction_required', 'A person must decide, so the prompt cannot be none.');
}

async function findAgent(
  { servingVersions, origin }: AuthorizationRequestDeps,
  { resource, owners }: { resource: string | undefined; owners: readonly string[] },
  refuse: Refuse,
): Promise<{ agentId: Audience; agentName: string; callers: readonly string[] }> {
  const form = [null, '{agent_id}'].map((audience) => resourceOf(origin, audience)).join(', ');
  const forms = `${form} or ${resourceOf(origin, '{agent_id}', 'a2a')}`;
  if (resource === undefined) throw refuse('invalid_target', `The parameter resource must name ${forms}.`);
  const agentId = audienceOfResource(origin, resource);
  if (agentId === undefined) throw refuse('invalid_target', `The resource must have the form ${forms}.`);
  if (agentId === null) return { agentId, agentName: 'the market', callers: owners };
  const shown = await findCallers(servingVersions, agentId, owners);
  if (shown) return { agentId, ...shown };
  // It may be a private agent of the account that signs in next.
  if (owners.length === 0) return { agentId, agentName: agentId, callers: [] };
  throw refuse('invalid_target', `No live agent has the id ${agentId}.`);
}

/** The owners that see an agent, and its name; undefined if none does. A public agent costs one query. */
async function findCallers(
  servingVersions: Pick<ServingVersions, 'ofAgent'>,
  agentId: string,
  owners: readonly string[],
): Promise<{ agentName: string; callers: readonly string[] } | undefined> {
  const publicName = await shownName(servingVersions, agentId, undefined);
  if (publicName !== undefined) return { agentName: publicName, callers: owners };
  const callers: string[] = [];
  let agentName: string | undefined;
  for (const owner of owners) {
    const name = await shownName(servingVersions, agentId, owner);
    if (name === undefined) continue;
    agentName ??= name;
    callers.push(owner);
  }
  return agentName === undefined ? undefined : { agentName, callers };
}

async function shownName(
  servingVersions: Pick<ServingVersions, 'ofAgent'>,
  agentId: string,
  owner: string | undefined,
): Promise<string | undefined> {
  try {
    return (await servingVersions.ofAgent(agentId, owner)).displayName;
  } catch (error) {
    if (error instanceof MarketError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** The scopes that a client asks for and that exist. Others, such as `openid`, are ignored. */
function readScopes(scope: string | undefined, defaults: readonly ApiScope[], refuse: Refuse): ApiScope[] {
  const wanted = new Set((scope ?? '').split(' ').filter((each) => each !== '' && each !== OFFLINE_ACCESS));
  if (wanted.size === 0) return [...defaults];
  const scopes = API_SCOPES.filter((each) => wanted.has(each));
  if (scopes.length > 0) return scopes;
  throw refuse('invalid_scope', `The scopes of this service are ${API_SCOPES.join(', ')}.`);
}

/**
 * Appends parameters to a redirect address. The address and its own query stay as they are, byte for byte (RFC 6749,
 * section 3.1.2).
 */
export function withParams(address: string, params: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const query = new URLSearchParams(given).toString();
  if (!address.includes('?')) return `${address}?${query}`;
  return /[?&]$/.test(address) ? address + query : `${address}&${query}`;
}
