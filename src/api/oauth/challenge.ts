import type { RequestHandler } from 'express';
import type { ErrorCode } from '../../domain/errors';
import { agentOfResource, resourceOf } from '../../services/oauth/resource';
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
    const agentId = agentOfResource(origin, `${origin}/mcp/a${req.path}`);
    contextOf(req).challenges = (code) => {
      const reason = REASONS[code];
      if (reason === undefined) return [];
      const parts = ['scope="agents:invoke"'];
      if (agentId !== undefined) parts.unshift(`resource_metadata="${metadataUrl(origin, agentId)}"`);
      if (req.headers.authorization !== undefined) parts.unshift(`error="${reason}"`);
      return [`Bearer ${parts.join(', ')}`];
    };
    next();
  };
}

/** Where the metadata of an agent's MCP endpoint is (RFC 9728, section 3.1). */
function metadataUrl(origin: string, agentId: string): string {
  const { pathname } = new URL(resourceOf(origin, agentId));
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
}
