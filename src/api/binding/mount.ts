import type { RequestHandler, Router } from 'express';
import type { Operation } from '../../contract/operation';
import { MarketError } from '../../domain/errors';
import { contextOf } from './context';

export interface Route {
  operation: Operation;
  handle: RequestHandler;
}

/** `/v1/agents/{agent_id}` → `/v1/agents/:agent_id`, `/tasks/{id}:cancel` → `/tasks/:id\\:cancel`. */
export function expressPath(path: string): string {
  return path.replaceAll(':', '\\:').replaceAll(/\{([a-zA-Z_][a-zA-Z0-9_]*)\}/g, ':$1');
}

/**
 * Mounts routes. A fixed path takes precedence over a path with parameters, in whatever order they were bound. A path
 * that exists only with other methods answers 405 with `Allow`.
 */
export function mountRoutes(router: Router, routes: readonly Route[]): void {
  const sorted = [...routes].sort((a, b) => comparePaths(a.operation.path, b.operation.path));
  for (const path of new Set(sorted.map(({ operation }) => operation.path))) {
    const here = sorted.filter(({ operation }) => operation.path === path);
    for (const { operation, handle } of here) router[operation.method](expressPath(path), handle);
    router.all(expressPath(path), refuseMethod(path, allowedMethods(here)));
  }
}

function comparePaths(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    const order = vagueness(left[at]) - vagueness(right[at]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Sorts fixed parts first, then parameters with a suffix, then parameters. */
function vagueness(part = ''): number {
  if (!part.startsWith('{')) return 0;
  return part.endsWith('}') ? 2 : 1;
}

function allowedMethods(routes: readonly Route[]): string {
  const methods = new Set(routes.map(({ operation }) => operation.method.toUpperCase()));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods, 'OPTIONS'].join(', ');
}

function refuseMethod(path: string, allow: string): RequestHandler {
  return (req, res, next) => {
    contextOf(req).route = path;
    res.setHeader('Allow', allow);
    if (req.method !== 'OPTIONS') {
      next(new MarketError('method_not_allowed'));
      return;
    }
    res.statusCode = 204;
    res.end();
  };
}
