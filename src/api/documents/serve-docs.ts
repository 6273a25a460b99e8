import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import express, { type RequestHandler, type Response } from 'express';
import { MarketError } from '../../domain/errors';
import { contextOf } from '../identity/context';
import { DOCS_SITE } from './docs-pages';
import { movedPage } from './moved-pages';
import { filesWithOrigin } from './own-origin';

const BASE = '/docs';
/** The list of pages for models, which has an address of its own (llmstxt.org). */
const LLMS = '/llms.txt';
const YEAR_MS = 31_536_000_000;
const NOT_BUILT = 'The documentation is not built: run `npm run docs`.';

/**
 * Serves the documentation at `/docs` and the API reference at `/docs/api/`: static files that anybody may read. Pages
 * are revalidated; assets, whose names contain a hash of their content, are cached for a year. An old name of a page
 * redirects to the page. The Markdown of a page has its address with `.md`, and `/llms.txt` lists them all. The
 * commands of the pages name `origin`. Errors: 404 with the site's own page, `not_found` while the site is not built,
 * `method_not_allowed` for anything but GET and HEAD.
 */
export function serveDocs(origin: string, folder: string = DOCS_SITE): RequestHandler {
  const files = express.static(folder, {
    extensions: ['html'],
    redirect: false,
    setHeaders: (res, file) => {
      res.setHeader('Cache-Control', cacheOf(path.relative(folder, file)));
    },
  });
  let policy: string | undefined;
  let changed: ReadonlyMap<string, string> | undefined;
  return (req, res, next) => {
    const isList = req.path === LLMS;
    if (!isList && req.path !== BASE && !req.path.startsWith(`${BASE}/`)) return next();
    contextOf(req).route = isList ? LLMS : `${BASE}/{path}`;
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      return next(new MarketError('method_not_allowed'));
    }
    if (req.path === BASE) return res.redirect(308, `${BASE}/`);
    policy ??= readPolicy(folder);
    if (policy === undefined) {
      if (req.accepts(['json', 'html']) === 'html') return sendNotBuilt(res);
      return next(new MarketError('not_found', { message: NOT_BUILT }));
    }
    res.setHeader('Content-Security-Policy', policy);
    changed ??= filesWithOrigin(folder, origin);
    const name = isList ? LLMS.slice(1) : req.path.slice(BASE.length + 1);
    const file = [name, `${name}.html`, `${name}index.html`].find((each) => changed?.has(each));
    if (file !== undefined) {
      res.setHeader('Cache-Control', cacheOf(file));
      return res.type(path.extname(file)).send(changed.get(file));
    }
    const { url } = req;
    req.url = isList ? url : url.slice(BASE.length);
    files(req, res, (error?: unknown) => {
      req.url = url;
      if (error !== undefined) return next(new MarketError('not_found'));
      const moved = movedPage(req.path.slice(BASE.length + 1), folder);
      if (moved !== undefined) return res.redirect(308, `${BASE}/${moved}${queryOf(url)}`);
      sendMissing(res, folder);
    });
  };
}

/** Names below `assets` contain a hash of their content. */
function cacheOf(name: string): string {
  return /^assets[\\/]/.test(name) ? `public, max-age=${YEAR_MS / 1000}, immutable` : 'no-cache';
}

function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

/** A browser loads the page again until the site is there: `npm start` builds it in the background. */
function sendNotBuilt(res: Response): void {
  res.status(404).set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    Refresh: '5',
  });
  res.type('html').send(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Documentation</title>
<h1>The documentation is not built yet</h1>
<p>After <code>npm start</code>, it is built in the background within some minutes, and this page then shows it.
Elsewhere, <code>npm run docs</code> builds it.</p>
<p><a href="/console/">Go to the console</a></p></html>`);
}

function sendMissing(res: Response, folder: string): void {
  res.status(404).setHeader('Cache-Control', 'no-cache');
  res.sendFile('404.html', { root: folder });
}

/**
 * The content security policy of the pages: this origin alone, and the scripts inside the pages by their hashes. Styles
 * may be inline, because highlighted code and diagrams have style attributes. Undefined while the site is not built.
 */
function readPolicy(folder: string): string | undefined {
  const file = path.join(folder, 'inline-scripts.json');
  if (!existsSync(file)) return undefined;
  const hashes = (JSON.parse(readFileSync(file, 'utf8')) as string[]).map((hash) => `'${hash}'`);
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
