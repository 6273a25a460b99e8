import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { Pool } from 'pg';
import { createApp } from '../../../src/api/app';
import { createApiAuthentication } from '../../../src/api/identity/create-authentication';
import type { Uploads } from '../../../src/api/bodies/uploads';
import { createRequestLimits } from '../../../src/api/requests/request-limits';
import { createHttpServer } from '../../../src/api/http-server';
import type { BindRoutes } from '../../../src/api/binding/route';
import { accountSecurityRoutes } from '../../../src/api/routes/account-security';
import { accountRoutes } from '../../../src/api/routes/accounts';
import { healthRoutes, type HealthRoutesDeps } from '../../../src/api/routes/health';
import { keyRoutes } from '../../../src/api/routes/keys';
import { loadConfig } from '../../../src/config';
import { createCipher, parseMasterKeys } from '../../../src/kit/crypto/cipher';
import { createPasswords } from '../../../src/kit/crypto/passwords';
import { createLogger } from '../../../src/logger';
import type { AccountsService } from '../../../src/services/accounts/accounts';
import type { LoginGuard } from '../../../src/services/accounts/login-guard';
import { createOrganisations } from '../../../src/services/organisations/organisations';
import { createAccountParts } from '../../../src/services/accounts/account-parts';
import { createKeyUses, type KeyUses } from '../../../src/services/accounts/api-key-uses';
import { createApiKeys } from '../../../src/services/accounts/api-keys';
import { createOauthGrants } from '../../../src/services/oauth/oauth-grants';
import { createRateLimits, keyLimitsOf, type RateLimits } from '../../../src/services/accounts/rate-limits';
import { createPool, isDatabaseUnavailable } from '../../../src/stores/db';
import { createTestDatabase, type TestDatabase } from './database';

export interface TestApi {
  app: Express;
  url: string;
  server: Server;
  database: TestDatabase;
  pool: Pool;
  accounts: AccountsService;
  loginGuard: LoginGuard;
  rateLimits: RateLimits;
  keyUses: KeyUses;
  close: () => Promise<void>;
}

export interface TestApiOptions {
  env?: Record<string, string>;
  checks?: Partial<HealthRoutesDeps['checks']>;
  routes?: readonly BindRoutes<unknown>[];
  limits?: Parameters<typeof createHttpServer>[2];
  uploads?: Uploads;
  logger?: ReturnType<typeof createLogger>;
  /** A database that another API of the test uses too, and drops. */
  database?: TestDatabase;
  /** A port that is forwarded to the database, such as that of a relay that can fail. */
  throughPort?: number;
}

/** The API with accounts and health, and any further routes, on a database of its own and a free port. */
export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const database = options.database ?? (await createTestDatabase());
  const databaseUrl = options.throughPort
    ? database.appUrl.replace(/:\d+\//, `:${options.throughPort}/`)
    : database.appUrl;
  const env = { NODE_ENV: 'test', PUBLIC_ORIGIN: 'https://market.example', ...options.env };
  const config = loadConfig({ ...env, DATABASE_URL: databaseUrl });
  const logger = options.logger ?? createLogger('api-test', process.env['LOG_LEVEL'] ?? 'silent');
  const pool = createPool({
    connectionString: databaseUrl,
    max: 8,
    applicationName: 'api-test',
    onError: () => undefined,
  });
  const parts = createAccountParts({
    pool,
    cipher: createCipher(parseMasterKeys(config.MASTER_KEYS), 1),
    config,
    passwords: createPasswords(),
  });
  const { accounts } = parts;
  const rateLimits = createRateLimits({ db: pool, onError: () => undefined, flushMs: 50 });
  const keyUses = createKeyUses({ db: pool, onError: () => undefined });
  const apiKeys = createApiKeys({ pool, uses: keyUses, limits: keyLimitsOf(config) });
  const oauthGrants = createOauthGrants({ pool, uses: keyUses });
  const identity = { apiKeys, oauthGrants, ...parts, organisations: createOrganisations({ pool, sealedFor: parts.authenticators.sealedFor }) };
  const authentication = createApiAuthentication({ config, logger, pool, ...identity });
  const ok = () => Promise.resolve();
  const checks = { postgres: ok, temporal: ok, worker: ok, ...options.checks };
  const deps = {
    config,
    logger,
    authentication,
    ...parts,
    apiKeys,
    rateLimits,
    checks,
    workers: () => Promise.resolve([{ worker: 'test', failing: [], reportedAt: new Date(), isAlive: true }]),
    version: '0.0.0-test',
    isUnavailable: isDatabaseUnavailable,
    ...(options.uploads && { uploads: options.uploads }),
  };
  const app = createApp(deps, [
    healthRoutes,
    accountRoutes,
    accountSecurityRoutes,
    keyRoutes,
    ...(options.routes ?? []),
  ]);
  const server = createHttpServer(app, createRequestLimits(deps).headersFor, options.limits);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    app,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    database,
    pool,
    accounts,
    loginGuard: parts.loginGuard,
    rateLimits,
    keyUses,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      authentication.close();
      await rateLimits.close();
      await keyUses.close();
      await pool.end();
      if (!options.database) await database.drop();
    },
  };
}
