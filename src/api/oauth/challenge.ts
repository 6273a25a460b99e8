import type { Request, RequestHandler } from 'express';
import type { ErrorCode } from '../../domain/errors';
import { audienceOfResource } from '../../services/oauth/resource';
import { scopesOf } from './metadata';
import { contextOf } from '../identity/context';

const REASONS: Partial<Record<ErrorCode, string>> = {
  not_authenticated: 'invalid_token',
  insufficient_scope: 'insufficient_scope',
};

/**
 * Adds `WWW-Authenticate` (RFC 6750, RFC 9728) to refusals of an endpoint that takes tokens, so that a client learns
 * where it can get one. The reason is left out when the request had no token. `pathOf` is the path of the resource.
 */
export function challengeForToken(origin: string, pathOf: (req: Request) => string): RequestHandler {
  return (req, _res, next) => {
    const path = pathOf(req);
    const audience = audienceOfResource(origin, `${origin}${path}`);
    contextOf(req).challenges = (code) => {
      const reason = REASONS[code];
      if (reason === undefined) return [];
      const parts = [`scope="${scopesOf(audience).join(' ')}"`];
      if (audience !== undefined) parts.unshift(`resource_metadata="${metadataUrl(origin, path)}"`);
      if (req.headers.authorization !== undefined) parts.unshift(`error="${reason}"`);
      return [`Bearer ${parts.join(', ')}`];
    };
    next();
  };
}

/** Where the metadata of a resource is (RFC 9728, section 3.1). */
function metadataUrl(origin: string, path: string): string {
  return `${origin}/.well-known/oauth-protected-resource${path.replace(/\/$/, '')}`;
}
