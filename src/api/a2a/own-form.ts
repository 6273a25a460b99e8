import type { RequestHandler } from 'express';
import { contextOf } from '../identity/context';
import { writeRestFault, writeRpcFault } from './faults';

/**
 * Makes errors on the standard binding use the protocol's formats, including errors before its handlers
 * (authentication, limits). The two paths of the specification and the agent card keep our error body.
 */
export const answerInItsOwnForm: RequestHandler = (req, res, next) => {
  const isTaskPath = /^\/tasks\/[^/:]+$/.test(req.path);
  const hasVersion = req.get('a2a-version') !== undefined || req.query['A2A-Version'] !== undefined;
  const isOurs =
    (req.method === 'POST' && req.path === '/tasks') ||
    (isTaskPath && !hasVersion) ||
    req.path.startsWith('/.well-known/');
  if (!isOurs) contextOf(res).writeError = req.path === '/rpc' ? writeRpcFault : writeRestFault;
  next();
};
