import type { Server } from 'node:http';
import type { Express, Request } from 'express';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Container } from '../container';
import { createServiceStatus } from '../services/operations/service-status';
import { isDatabaseUnavailable } from '../stores/db';
import type { InvocationEngine } from '../workers/engine-parts';
import { createRequestLimits } from './requests/request-limits';
import { createApp, type AppDeps } from './app';
import { createApiAuthentication } from './identity/create-authentication';
import { createBodyThreads } from './bodies/body-threads';
import { readHealth } from '../services/operations/health-checks';
import { createHttpServer } from './http-server';
import { signedInPayer } from './x402/sign-in';
import { allRoutes, type AllRoutesDeps } from './routes';

/** How often a process notes the state of the service for the status page. */
const NOTE_INTERVAL_MS = 20_000;

export interface RunningApi {
  url: string;
  /** Announces the end: readiness is 503, and requests are still served. */
  drain(): void;
  /** Refuses new connections, lets running requests finish within `graceMs`, and closes. */
  stop(graceMs?: number): Promise<void>;
}

/** Starts the HTTP server of an API process. */
export async function startApi(
  container: Container,
  invocationEngine: InvocationEngine,
): Promise<RunningApi> {
  const { config, logger, pool } = container;
  let stopping = false;
  const payerOf = async (req: Request) =>
    req.get('sign-in-with-x') === undefined ? undefined : signedInPayer(container.payerSignIns, req);
  const authentication = createApiAuthentication({ ...container, payerOf });
  const bodyThreads = createBodyThreads();
  const checked = {
    workers: container.loopReports.workers,
    checks: {
      postgres: () => pool.query('SELECT 1'),
      temporal: () => must(!stopping && invocationEngine.link.check()),
      worker: () => must(invocationEngine.operationsPolled()),
    },
  };
  const serviceStatus = createServiceStatus({ db: pool, read: () => readHealth(checked) });
  const deps: AllRoutesDeps & AppDeps = {
    ...container,
    authentication,
    bodyThreads,
    isUnavailable: isDatabaseUnavailable,
    version: packageVersion(),
    engine: invocationEngine.engine,
    verificationTrigger: invocationEngine.verificationTrigger,
    disputeCases: invocationEngine.disputeCases,
    payoutEngine: invocationEngine.payoutEngine,
    bondCases: invocationEngine.bondCases,
    leavingCases: invocationEngine.leavingCases,
    taskEngine: invocationEngine.taskEngine,
    jobEngine: invocationEngine.jobEngine,
    timeTravel: invocationEngine.timeTravel,
    ...checked,
    serviceStatus,
  };
  const app = createApp(deps, allRoutes);
  const limits = { connectionsPerAddress: config.CONNECTIONS_PER_ADDRESS };
  const server = createHttpServer(app, createRequestLimits(deps).headersFor, limits, trustedProxies(app));
  await listen(server, config.PORT, config.HOST);
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : config.PORT;
  const url = `http://${config.HOST}:${port}`;
  logger.info({ url }, 'the API listens');
  const notes = setInterval(() => {
    if (!stopping)
      serviceStatus.note().catch((err: unknown) => logger.warn({ err }, 'the status was not noted'));
  }, NOTE_INTERVAL_MS).unref();
  return {
    url,
    drain() {
      stopping = true;
    },
    async stop(graceMs = 5_000) {
      stopping = true;
      clearInterval(notes);
      container.eventStreams.stop();
      container.callWaits.stop();
      container.listingWatch.stop();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const force = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(force);
      authentication.close();
      await bodyThreads.close();
    },
  };
}

/** The addresses of TRUSTED_PROXIES. Each carries the connections of many clients. */
function trustedProxies(app: Express): (address: string) => boolean {
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return (address) => isTrusted(address, 0);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function must(holds: boolean | Promise<boolean>): Promise<void> {
  if (!(await holds)) throw new Error('the check failed');
}

function packageVersion(): string {
  const file = path.join(__dirname, '..', '..', 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
