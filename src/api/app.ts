import express, { type Express } from 'express';
import helmet from 'helmet';
import { MarketError } from '../domain/errors';
import type { Config } from '../config';
import type { Metrics } from '../kit/metrics';
import type { Logger } from '../logger';
import type { RateLimits } from '../services/accounts/rate-limits';
import { callbackReader } from './requests/callback-address';
import { createRequestLimits } from './requests/request-limits';
import { createRefusalLine, type RefusalLine } from './requests/refusal-line';
import type { Authentication } from './identity/authentication';
import { hasSignedSession } from './identity/sessions';
import { serveDocs } from './documents/serve-docs';
import { serveDownloads } from './documents/serve-downloads';
import { serveRobots } from './documents/serve-robots';
import type { ReadAgentPage } from './console/agent-page';
import { serveConsole } from './console/serve-console';
import { serveLanding } from './console/serve-landing';
import { createBinder } from './binding/binder';
import { type BodyThreads, createBodyThreads } from './bodies/body-threads';
import { createUploads, type Uploads } from './bodies/uploads';
import { answerErrors } from './answers/errors';
import { refuseCrossSite } from './middleware/cross-site';
import { readForwardedFor } from './middleware/forwarded-for';
import { countHops } from './middleware/hops';
import { requestLog } from './middleware/request-log';
import { trace } from './middleware/trace';
import type { BindRoutes } from './binding/route';
import { listOf, ownOrigins } from './setting-lists';

export interface AppDeps {
  config: Config;
  logger: Logger;
  authentication: Authentication;
  /** True for an error that means that Postgres is unreachable; the response is then 503. */
  isUnavailable: (error: unknown) => boolean;
  rateLimits: RateLimits;
  /** Threads for large bodies; undefined for threads that are never closed. */
  bodyThreads?: BodyThreads;
  /** Limits of bodies that are being received; by default those of `uploads.ts`. */
  uploads?: Uploads;
  /** Undefined if requests are not counted. */
  metrics?: Pick<Metrics, 'requestEnded' | 'requestFailed'>;
  /** What the public pages of agents say. */
  publicAgents?: { page: ReadAgentPage };
}

/**
 * Creates the Express application. Every request passes, in order: trace id, log, security headers, cross-site check,
 * hop count; then, for its operation: the line of refused callers, caller, rate limit, path, query, body, handler
 * (src/api/binding/binder.ts). Every failure, also of a path that does not exist, passes the line and ends with the
 * contract's error body.
 */
export function createApp<Deps extends AppDeps>(deps: Deps, routes: readonly BindRoutes<Deps>[]): Express {
  const { config, logger } = deps;
  const app = express();
  app
    .disable('x-powered-by')
    .disable('etag')
    .set('case sensitive routing', true)
    .set('query parser', 'simple');
  app.set('trust proxy', listOf(config.TRUSTED_PROXIES));
  const requestLimits = createRequestLimits(deps);
  const line = createRefusalLine({ most: config.REFUSALS_BEFORE_LINE });
  app.use(readForwardedFor(), trace(), requestLog(logger, deps.metrics?.requestEnded), securityHeaders());
  app.use((req, res, next) => {
    requestLimits.announce(req, res);
    next();
  });
  app.use(refuseCrossSite(ownOrigins(config)));
  const pages = createPages(line, deps);
  app.use((req, res, next) => (PAGES.test(req.path) ? pages(req, res, next) : next()));
  app.use(countHops());
  const binder = createBinder({
    authentication: deps.authentication,
    line,
    isSignedSession: (req) => hasSignedSession(req, config.SESSION_SECRET),
    callbackOf: callbackReader(config.SESSION_SECRET),
    refuseEarly: requestLimits.refuseEarly,
    count: requestLimits.count,
    noteChange: deps.authentication.noteChange,
    uploads: deps.uploads ?? createUploads(),
    bodyThreads: deps.bodyThreads ?? createBodyThreads(),
    checkResponses: config.NODE_ENV !== 'production',
  });
  for (const bindRoutes of routes) bindRoutes(binder, deps);
  binder.mount();
  app.use(binder.router);
  app.use((_req, _res, next) => next(new MarketError('not_found', { message: NO_SUCH_PATH })));
  const { countFailed } = requestLimits;
  app.use(answerErrors({ ...deps, line, countFailed, publicOrigin: config.PUBLIC_ORIGIN }));
  return app;
}

const PAGES = /^\/(?:$|favicon\.ico$|(?:robots|llms)\.txt$|(?:docs|downloads|console)(?:\/|$))/;

/** What people read in a browser; it passes the line of refused callers too. */
function createPages(line: RefusalLine, { config, publicAgents }: AppDeps): express.Router {
  const { NODE_ENV, PUBLIC_ORIGIN, SUPPORT_CONTACT, DEMONSTRATION } = config;
  const { origin } = new URL(PUBLIC_ORIGIN);
  const agents = publicAgents && { origin, read: publicAgents.page };
  const enter: express.RequestHandler = (req, res, next) => {
    line.enter(req, res).then(() => next(), next);
  };
  const watches = NODE_ENV === 'development';
  return express
    .Router({ caseSensitive: true })
    .use(
      enter,
      serveLanding({ supportContact: SUPPORT_CONTACT, isDemonstration: DEMONSTRATION }),
      serveRobots(origin),
      serveDocs(PUBLIC_ORIGIN),
      serveDownloads(),
      serveConsole({ watches, isSecure: PUBLIC_ORIGIN.startsWith('https:'), ...(agents && { agents }) }),
    );
}

const NO_SUCH_PATH =
  'There is no such path. GET /openapi.json lists all operations, and /docs/ describes them.';

/** Security headers of an API without pages: nothing may be loaded, framed, sniffed or cached. */
function securityHeaders(): express.RequestHandler[] {
  const headers = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  });
  return [
    headers as express.RequestHandler,
    (_req, res, next) => {
      res.setHeader('Cache-Control', 'no-store');
      next();
    },
  ];
}
