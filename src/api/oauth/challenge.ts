import type { RequestHandler } from 'express';
import type { ErrorCode } from '../../domain/errors';
import { type Audience, audienceOfResource, resourceOf } from '../../services/oauth/resource';
import { scopesOf } from './metadata';
import { contextOf } from '../identity/context';

const REASONS: Partial<Record<ErrorCode, string>> = {
  not_authenticated: 'invalid_token',
  insufficient_scope: 'insufficient_scope',
};

/**
 * Adds `WWW-Authenticate` (RFC 6750, RFC 9728) to refusals of an MCP endpoint, so that a client learns where it can get
 * a token. The reason is left out when the request had no token.
 */
export function challengeForToken(origin: string): RequestHandler {
  return (req, _res, next) => {
    const audience = audienceOfResource(origin, `${origin}/mcp${req.path}`);
    contextOf(req).challenges = (code) => {
      const reason = REASONS[code];
      if (reason === undefined) return [];
      const parts = [`scope="${scopesOf(audience).join(' ')}"`];
      if (audience !== undefined) parts.unshift(`resource_metadata="${metadataUrl(origin, audience)}"`);
      if (req.headers.authorization !== undefined) parts.unshift(`error="${reason}"`);
      return [`Bearer ${parts.join(', ')}`];
    };
    next();
  };
}

/** Where the metadata of an MCP endpoint is (RFC 9728, section 3.1). */
function metadataUrl(origin: string, audience: Audience): string {
  const { pathname } = new URL(resourceOf(origin, audience));
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
}
