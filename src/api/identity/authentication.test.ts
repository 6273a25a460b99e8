import type { Request, Response } from 'express';
import type { Operation } from '../../contract/operation';
import { createAuthentication, type AuthenticationDeps } from './authentication';
import { createContext } from './context';

const USER = {
  userId: 'usr_1',
  role: 'buyer',
  developerId: null,
  registrationPaid: false,
  emailConfirmed: true,
  hasAuthenticator: false,
  keepsBodies: false,
} as const;
const CALLERS: Record<string, string> = { amk_a: 'key_1', amt_b: 'key_2' };

/** Authenticates a request, and says whether its credential is still valid then, and after it was ended. */
async function validities(headers: Record<string, string>): Promise<boolean[]> {
  const valid = new Set(Object.keys(CALLERS));
  let hasSession = true;
  const find = (secret: string) =>
    Promise.resolve(
      valid.has(secret)
        ? {
            user: USER,
            person: USER.userId,
            memberRole: null,
            keyId: CALLERS[secret],
            scopes: ['agents:invoke'],
          }
        : undefined,
    );
  const session = () => ({ user: hasSession ? USER : null, expiresAt: new Date() });
  const authentication = createAuthentication({
    apiKeys: { authenticate: find },
    oauthGrants: { authenticate: find },
    accounts: { findSession: () => Promise.resolve(session()) },
    sessions: { open: () => Promise.resolve(undefined) },
  } as unknown as AuthenticationDeps);
  const request = {
    headers,
    originalUrl: '/v1/agents/agt_1/mcp',
    params: { agent_id: 'agt_1' },
    get: (name: string) => headers[name],
    sessionID: 's',
  } as unknown as Request;
  const response = {} as Response;
  const context = createContext(request, response, 'trace');
  const operation = {
    auth: { scope: 'agents:invoke' },
    method: 'post',
    acceptsToken: true,
  } as unknown as Operation;
  if (Object.keys(headers).length > 0)
    await authentication.authenticate(operation, request, response, context);
  else
    context.principal = {
      ...USER,
      person: USER.userId,
      memberRole: null,
      secondFactor: false,
      key: null,
    };
  const before = await authentication.isStillValid(request);
  valid.clear();
  hasSession = false;
  return [before, await authentication.isStillValid(request)];
}

it.each([
  ['an API key', { 'x-api-key': 'amk_a' }],
  ['an access token', { authorization: 'Bearer amt_b' }],
  ['an API key with a token beside it', { 'x-api-key': 'amk_a', authorization: 'Bearer amt_b' }],
  ['a session', {}],
])('knows until when the request of %s is valid', async (_name, headers: Record<string, string>) => {
  expect(await validities(headers)).toEqual([true, false]);
});
