/**
 * Every operation, called without a credential, with a wrong key, with a key that lacks the scope, with one that has
 * it, and with a session (contract, "Accounts, sessions, keys"). The table of operations is compared with the contract
 * first.
 */
import { httpStatus } from '../../../src/api/answers/http-status';
import { openapiDocument } from '../../../src/contract/openapi';
import type { Operation } from '../../../src/contract/operation';
import { operations } from '../../../src/contract/operations';
import type { ApiScope } from '../../../src/domain/accounts/api-key';
import { newApiKey } from '../../../src/kit/crypto/api-key-format';
import { ALL_SCOPES, makeKey } from '../../support/accounts/keys';
import { register, startMarket, type TestMarket, type TestUser } from '../../support/market';
import { registerDeveloper } from '../../support/catalogue/publishing';
import { useMarket } from '../../support/use-market';

/** The contract's list, the public status page (ADR 0267), and no other. */
const NEEDS_NOBODY = [
  /^\/v1\/auth\/sso(\/|$)/,
  /^\/v1\/status$/,
  /^\/(health|readiness)$/,
  /^\/v1\/auth\/(register|login|login-link|password-reset|password-reset\/confirm)$/,
  /^\/v1\/mandate-keys\/[^/]+\/jwks\.json$/,
  /^\/\.well-known\/(jwks|did|ai-catalog)\.json$/,
  /^\/\.well-known\/market-log$/,
  /\/agent-registration\.json$/,
  /^\/sitemap(\.xml|\/)/,
  /agent(-card)?\.json$/,
  /^\/ext\//,
  /^\/\.well-known\/http-message-signatures-directory$/,
  /\/badge\.svg$/,
  /^\/v1\/payments\/[a-z]+\/webhook$/,
  // The mail has the token: who has no session any more can confirm, too.
  /^\/v1\/account\/delete\/confirm$/,
  // Agents sign what they call back (ADR 0305).
  /^\/v1\/callbacks\//,
  /^\/\.well-known\/(oauth-authorization-server|openid-configuration|oauth-protected-resource\/.*)$/,
  /^\/oauth\/(register|authorize|token|revoke|jwks|device|device_authorization)$/,
];
const NEVER_BY_KEY = [
  /^\/v1\/auth\//,
  /^\/v1\/keys\/\{key_id\}\/rotate$/,
  /^\/v1\/oauth\/grants(\/|$)/,
  /^\/v1\/operator\//,
  /\/(payout-method|tax-form|topup)$/,
  /\/bond(\/|$)/,
];
const SCOPES: [RegExp, ApiScope][] = [
  [/^(POST|GET|DELETE) \/v1\/keys(\/\{key_id\})?$/, 'keys:manage'],
  [/^POST \/v1\/agents\/register$/, 'agents:publish'],
  [/^[A-Z]+ \/v1\/developer\//, 'agents:publish'],
  [/^POST (\/v1\/agents\/.*\/(invoke|chat|use|quote)|\/chat\/|\/mcp(\/.*)?)$/, 'agents:invoke'],
  [/^[A-Z]+ \/v1\/(a2a|invocations|chat\/completions|models)(\/|$)/, 'agents:invoke'],
  [/^GET (\/v1\/(listings|rubrics|ai-catalog)|\/v0\.1\/servers)(\/|$)/, 'agents:read'],
  [
    /^GET \/v1\/agents\/.*\/(usage|analytics|figures|trust-reports|tools|tool-changes|reviews|review-\w+)/,
    'agents:read',
  ],
  [/^GET \/openapi\.json$/, 'agents:read'],
  [/^[A-Z]+ \/v1\/webhooks(\/|$)/, 'webhooks:manage'],
  [/^POST \/v1\/billing\/disputes$/, 'disputes:write'],
  [/^GET \/v1\/billing\//, 'billing:read'],
];

/** The rule of the contract for an operation; undefined if it has none. */
function promisedAuth({ method, path }: Operation): 'public' | 'session' | ApiScope | undefined {
  const matches = (pattern: RegExp) => pattern.test(path);
  if (NEEDS_NOBODY.some(matches)) return 'public';
  if (NEVER_BY_KEY.some(matches)) return 'session';
  return SCOPES.find(([pattern]) => pattern.test(`${method.toUpperCase()} ${path}`))?.[1];
}

/** Exactly the operations that `PUBLIC_READS=true` permits without an account. */
const OPEN_READS = [
  /^\/(v0\.1\/servers|v1\/ai-catalog)(\/|$)/,
  /^\/v1\/listings(\/slug\/[^/]+|\/\{agent_id\})?$/,
  /^\/v1\/agents\/[^/]+\/(figures|trust-report|trust-reports|tools|tool-changes|reviews|review-summary|review-feedback)$/,
  /^\/v1\/rubrics(\/[^/]+)?$/,
  /^\/v1\/developers\/[^/]+$/,
  /^\/openapi\.json$/,
];

const market = useMarket({ operations: false, env: { PUBLIC_READS: 'false' } });
/** The same with `PUBLIC_READS=true`. */
let open: TestMarket;
let developer: TestUser;
let operator: TestUser;
const keys = new Map<ApiScope | 'all', string>();

beforeAll(async () => {
  open = await startMarket({ share: market, env: { PUBLIC_READS: 'true' } });
  developer = await registerDeveloper(market);
  operator = await register(market, 'buyer');
  await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
  for (const scope of ALL_SCOPES)
    keys.set(scope, (await makeKey(market, developer, { scopes: [scope] })).key);
  keys.set('all', (await makeKey(market, developer, { scopes: ALL_SCOPES })).key);
});
afterAll(async () => {
  await open.stop();
});

interface Outcome {
  status: number;
  code: string | undefined;
}

const SAMPLES: Record<string, string> = {
  agent_id: 'agt_nobody_v1',
  slug: 'nobody',
  owner: 'dev_nobody',
  version: '1.0.0',
};

/** Headers of every answer, each a hexadecimal number. */
const EVERY_ANSWER = ['x-trace-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** An operation without body or query, on things that do not exist; streams are left when they begin. */
async function ask(
  { method, path }: Operation,
  headers: Record<string, string>,
  at = market,
): Promise<Outcome> {
  const url = at.url + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => SAMPLES[name] ?? 'nothing');
  const leave = new AbortController();
  const response = await fetch(url, { method: method.toUpperCase(), headers, signal: leave.signal });
  expect(EVERY_ANSWER.filter((name) => !/^[0-9a-f]+$/.test(response.headers.get(name) ?? ''))).toEqual([]);
  const isError = response.status >= 400 && response.headers.get('content-type')?.includes('json');
  const body = isError ? ((await response.json()) as ErrorAnswer) : undefined;
  leave.abort();
  return { status: response.status, code: body && codeOf(body) };
}

interface ErrorAnswer {
  error?: { code?: string | number; details?: { reason: string }[]; data?: { reason: string }[] };
}

/** Our code; A2A has numbers in its place, and ours as the reason in its details. */
function codeOf({ error }: ErrorAnswer): string | undefined {
  if (typeof error?.code !== 'number') return error?.code;
  return [...(error.details ?? []), ...(error.data ?? [])][0]?.reason.toLowerCase();
}

const REFUSED = [401, 'not_authenticated'];
const byKey = (key: string | undefined) => ({ 'x-api-key': key ?? '' });

async function expectRefused(
  operation: Operation,
  headers: Record<string, string>,
  at = market,
): Promise<void> {
  const { status, code } = await ask(operation, headers, at);
  expect([status, code]).toEqual(REFUSED);
}

/** The caller was authenticated, whatever the answer is. */
async function expectLetIn(
  operation: Operation,
  headers: Record<string, string>,
  at = market,
): Promise<void> {
  const { status, code } = await ask(operation, headers, at);
  expect(['not_authenticated', 'insufficient_scope', 'forbidden', 'internal_error']).not.toContain(code);
  if (operation.auth !== 'public') expect(status).not.toBe(401);
}

/** A session that may be lost, since one of the operations ends it. */
async function sessionFor({ id, roles }: Operation): Promise<Record<string, string>> {
  const who =
    id === 'logout' ? await register(market, 'buyer') : roles?.includes('operator') ? operator : developer;
  return { cookie: who.cookie };
}

/** The `security` of an operation in the OpenAPI document; undefined if it has none of its own. */
function describedSecurity({ path, method }: Operation): Record<string, string[]>[] | undefined {
  const { paths } = document as {
    paths: Record<string, Record<string, { security?: Record<string, string[]>[] }>>;
  };
  return paths[path]?.[method]?.security;
}

const document = openapiDocument(operations, { version: '0', statusOf: httpStatus });
const WRONG_KEYS = [newApiKey(), 'amk_live_', 'x'];

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
  const { auth } = operation;
  const scope = typeof auth === 'object' ? auth.scope : undefined;

  it('accepts the callers that the contract names', () => {
    const promised = promisedAuth(operation);
    if (promised !== undefined) expect(scope ?? auth).toBe(promised);
    else expect(auth).not.toBe('public');
  });

  it('refuses callers without authentication, unless it needs none', async () => {
    if (auth === 'public') await expectLetIn(operation, {});
    else await expectRefused(operation, {});
  });

  it('needs no account under PUBLIC_READS exactly if the OpenAPI document says so', async () => {
    const isPublicRead =
      operation.method === 'get' && OPEN_READS.some((pattern) => pattern.test(operation.path));
    const described = describedSecurity(operation);
    if (auth === 'public')
      expect(described).toEqual(
        operation.knowsCaller ? [{}, { session: [] }, { apiKey: ['agents:read'] }] : [],
      );
    else
      expect([operation.id, described?.some((one) => Object.keys(one).length === 0) ?? false]).toEqual([
        operation.id,
        isPublicRead,
      ]);
    if (auth === 'public') return;
    if (isPublicRead) await expectLetIn(operation, {}, open);
    else await expectRefused(operation, {}, open);
    if (isPublicRead) for (const key of WRONG_KEYS) await expectRefused(operation, byKey(key), open);
  });

  it('refuses a wrong key', async () => {
    for (const key of WRONG_KEYS) {
      if (auth === 'public') await expectLetIn(operation, byKey(key));
      else await expectRefused(operation, byKey(key));
    }
  });

  it('accepts a key that has its scope, and no other key', async () => {
    if (auth === 'public') return expectLetIn(operation, byKey(keys.get('all')));
    if (auth === 'session') return expectRefused(operation, byKey(keys.get('all')));
    for (const other of ALL_SCOPES.filter((name) => name !== scope)) {
      const { status, code } = await ask(operation, byKey(keys.get(other)));
      expect([other, status, code]).toEqual([other, 403, 'insufficient_scope']);
    }
    await expectLetIn(operation, byKey(keys.get(auth.scope)));
  });

  it('accepts a session', async () => {
    await expectLetIn(operation, await sessionFor(operation));
  });
});
