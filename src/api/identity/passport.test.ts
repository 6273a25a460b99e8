import type { Request, Response } from 'express';
import type { Operation } from '../../contract/operation';
import { createPassport, type PassportDeps } from './passport';

const USER = {
  userId: 'usr_1',
  role: 'buyer',
  developerId: null,
  registrationPaid: false,
  emailConfirmed: true,
  hasAuthenticator: false,
  keepsBodies: false,
} as const;

const KEY = 'amk_right';
const TOKEN = 'amt_right';
const BEARER = { authorization: `Bearer ${TOKEN}` };
const SESSION = { cookie: 'market_session=s%3Asid.signature' };

const operations = {
  ofSessions: { auth: 'session' },
  ofKeys: { auth: { scope: 'invoke' } },
  ofTokens: { auth: { scope: 'invoke' }, acceptsToken: true },
} as unknown as Record<'ofSessions' | 'ofKeys' | 'ofTokens', Operation>;

/** The reads that authenticated a request, and their result. */
async function authenticate(operation: keyof typeof operations, headers: Record<string, string>) {
  const reads: string[] = [];
  const caller = (keyId: string, isValid: boolean) =>
    Promise.resolve(isValid ? { user: USER, keyId, scopes: ['invoke'] } : undefined);
  const passport = createPassport({
    apiKeys: {
      authenticate(key: string) {
        reads.push('key');
        return caller('key_1', key === KEY);
      },
    },
    oauthGrants: {
      authenticate(token: string, agentId: string) {
        reads.push(`token for ${agentId}`);
        return caller('key_2', token === TOKEN);
      },
    },
    sessions: {
      open() {
        reads.push('session');
        return Promise.resolve({ user: null, expiresAt: new Date() });
      },
    },
  } as unknown as PassportDeps);
  const req = {
    headers,
    originalUrl: '/mcp/a/agt_1',
    params: { agent_id: 'agt_1' },
    get: (name: string) => headers[name],
  };
  const end = await passport
    .authenticate(operations[operation], req as unknown as Request, {} as Response)
    .then(
      (principal) => principal?.key?.keyId ?? 'unknown',
      (error: unknown) => (error as { code: string }).code,
    );
  return [end, ...reads];
}

it.each([
  ['a key', 'ofKeys', { 'x-api-key': KEY }, ['key_1', 'key']],
  [
    'a key before a token and a session',
    'ofTokens',
    { 'x-api-key': KEY, ...BEARER, ...SESSION },
    ['key_1', 'key'],
  ],
  ['a token before a session', 'ofTokens', { ...BEARER, ...SESSION }, ['key_2', 'token for agt_1']],
  ['a session', 'ofTokens', SESSION, ['unknown', 'session']],
  ['nothing', 'ofTokens', {}, ['unknown']],
  ['a key where none is accepted', 'ofSessions', { 'x-api-key': KEY, ...SESSION }, ['unknown', 'session']],
  ['a token where none is accepted', 'ofKeys', BEARER, ['unknown']],
] as const)('reads no more than it needs for %s', async (_name, operation, headers, expected) => {
  expect(await authenticate(operation, headers)).toEqual(expected);
});

it.each([
  ['key', { 'x-api-key': 'amk_wrong', ...BEARER, ...SESSION }, 'key'],
  ['empty key', { 'x-api-key': '', ...SESSION }, 'key'],
  ['token', { authorization: 'bearer amt_wrong', ...SESSION }, 'token for agt_1'],
] as const)('refuses an invalid %s, also beside a valid credential', async (_name, headers, read) => {
  expect(await authenticate('ofTokens', headers)).toEqual(['not_authenticated', read]);
});
