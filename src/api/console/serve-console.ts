import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { MarketError } from '../../domain/errors';
import { contextOf } from '../identity/context';
import { markDevice } from '../identity/device';
import { hasSessionCookie } from '../identity/sessions';
import {
  builtAt,
  NONCE,
  readConsoleFiles,
  SESSION,
  type ConsoleFile,
  type ConsoleFiles,
} from './console-files';
import { pageOfAgent, pageOfNoAgent, type ReadAgentPage } from './agent-page';
import { agentOfPage } from './page-head';

/** Where `npm run build` puts the console. The folder of this file is `src/api/console` or `dist/api/console`. */
const BUILT = path.join(__dirname, '..', '..', '..', 'dist', 'console');
const BASE = '/console';
const YEAR_SECONDS = 31_536_000;

export interface ConsoleOptions {
  folder?: string;
  /** If true, a new build is served without a restart; for development. */
  watches?: boolean;
  /** The address of the marketplace, and what the public pages of agents say. */
  agents?: { origin: string; read: ReadAgentPage };
  /** Whether browsers send the cookie of the device over TLS alone. */
  isSecure?: boolean;
}

/**
 * Serves the web console at `/console` (ADR 0111): hashed assets that caches keep for ever, and one page for every
 * other path, because the page itself resolves its addresses. The content security policy allows scripts of this origin
 * only, without `unsafe-inline` and `unsafe-eval`; style elements need the nonce of the answer.
 */
export function serveConsole(options: ConsoleOptions = {}): RequestHandler {
  const { folder = BUILT, watches = false, agents, isSecure = true } = options;
  const sendPage = (req: Request, res: Response, page: string): void => {
    markDevice(req, res, isSecure);
    sendMarked(req, res, page);
  };
  let known: ConsoleFiles | undefined;
  let knownSince: number | undefined;
  return (req, res, next) => {
    if (req.path !== BASE && !req.path.startsWith(`${BASE}/`)) return next();
    contextOf(req).route = `${BASE}/{path}`;
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      return next(new MarketError('method_not_allowed'));
    }
    if (!known || (watches && builtAt(folder) !== knownSince)) {
      known = readConsoleFiles(folder);
      knownSince = builtAt(folder);
    }
    if (!known) return next(notBuilt());
    const name = req.path.slice(BASE.length + 1);
    const file = known.files.get(name);
    if (file) return sendFile(req, res, file);
    // A missing asset must not become the page: its type would be wrong, and caches would keep it.
    if (name.startsWith('assets/')) return next(new MarketError('not_found'));
    const { page } = known;
    const agentId = agentOfPage(name);
    if (agentId === undefined || !agents) return sendPage(req, res, page);
    // A page without its own text is better than none.
    void agents.read(agentId).then(
      (facts) => sendPage(req, res, facts ? pageOfAgent(page, agents.origin, facts) : pageOfNoAgent(page)),
      () => sendPage(req, res, page),
    );
  };
}

function notBuilt(): MarketError {
  return new MarketError('not_found', { message: 'The console is not built: run `npm run build`.' });
}

function sendMarked(req: Request, res: Response, page: string): void {
  const nonce = randomBytes(16).toString('base64url');
  res.setHeader('Content-Security-Policy', policy(nonce));
  res.setHeader('Cache-Control', 'no-cache');
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.setHeader('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=()');
  res.setHeader('Vary', 'Cookie');
  res.end(page.replaceAll(NONCE, nonce).replace(SESSION, hasSessionCookie(req) ? 'maybe' : 'none'));
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sendFile(req: Request, res: Response, file: ConsoleFile): void {
  res.setHeader('Content-Type', file.type);
  res.setHeader('Vary', 'Accept-Encoding');
  res.setHeader('Cache-Control', file.isHashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
  const encoding = chooseEncoding(req, file);
  if (encoding) res.setHeader('Content-Encoding', encoding);
  const body = (encoding && file[encoding]) ?? file.plain;
  res.setHeader('Content-Length', body.length);
  res.end(req.method === 'HEAD' ? undefined : body);
}

/**
 * The smallest form that the client accepts. Browsers name gzip first, which says nothing: all their weights are equal.
 */
function chooseEncoding(req: Request, file: ConsoleFile): 'br' | 'gzip' | undefined {
  return (['br', 'gzip'] as const).find((name) => file[name] !== undefined && req.acceptsEncodings(name));
}
