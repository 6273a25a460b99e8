import path from 'node:path';
import express, { type RequestHandler } from 'express';
import { MarketError } from '../../domain/errors';
import { contextOf } from '../identity/context';

/** Where `npm run build` puts the packages. The folder of this file is `src/api/documents` or `dist/api/documents`. */
const BUILT = path.join(__dirname, '..', '..', '..', 'dist', 'downloads');
const BASE = '/downloads';

/**
 * Serves the installable packages at `/downloads`: files that anybody may read. npm revalidates them. Errors:
 * `not_found` for other names and while the packages are not built, `method_not_allowed` for anything but GET and HEAD.
 */
export function serveDownloads(folder: string = BUILT): RequestHandler {
  const files = express.static(folder, {
    index: false,
    redirect: false,
    setHeaders: (res) => res.setHeader('Cache-Control', 'no-cache'),
  });
  return (req, res, next) => {
    if (!req.path.startsWith(`${BASE}/`)) return next();
    contextOf(req).route = `${BASE}/{file}`;
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      return next(new MarketError('method_not_allowed'));
    }
    const { url } = req;
    req.url = url.slice(BASE.length);
    files(req, res, () => {
      req.url = url;
      next(new MarketError('not_found'));
    });
  };
}
