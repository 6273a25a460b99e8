import type { RequestHandler } from 'express';
import { contextOf } from '../binding/context';
import { writeRestFault, writeRpcFault } from './faults';

/**
 * Errors on the standard binding have the protocol's shapes, also those that come before its handlers (nobody is
 * known, a limit). The specification's two paths and the card keep our envelope.
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
