/** MCP servers of developers, as the service calls them: behaviours for `startAgent`. */
import type { Behaviour, BehaviourChoice, Delivery } from '../agents/behaviours';
import type { Declared } from '../../../src/domain/catalogue/registration';
import { newSigningSecret } from '../../../src/kit/crypto/webhook-signature';
import { signingSecretContext } from '../../../src/services/catalogue/signing-secret';
import { insertRegistration, putLive } from '../../../src/services/catalogue/registration-versions';
import { claimSlug, insertAgent } from '../../../src/stores/catalogue/agents';
import type { TestMarket } from '../market';
import type { Json } from './mcp';
import { newSlug } from '../names';

export interface UpstreamMessage {
  id?: number;
  method: string;
  params: Record<string, Json>;
}

export interface UpstreamOptions {
  /** Default: legacy, which refuses `server/discover`. */
  era?: 'legacy' | 'modern';
  tools: readonly Record<string, unknown>[];
  /** The result of `tools/call`; default: the arguments as text. */
  result?: (params: Record<string, Json>) => Record<string, unknown>;
  /** Instead of what a good server answers; undefined: as a good one. */
  instead?: (message: UpstreamMessage) => Behaviour | undefined;
}

/** A tool that takes anything. */
export const ANY_TOOL = { name: 'anything', inputSchema: { type: 'object' } };

/** A server that follows the rules of its era, except for the methods in `instead`. */
export function mcpUpstream(options: UpstreamOptions): BehaviourChoice {
  return (delivery: Delivery) => {
    if (delivery.body.length === 0) return { kind: 'answer', output: {} };
    const message = JSON.parse(delivery.body.toString()) as UpstreamMessage;
    return options.instead?.(message) ?? answerOf(message, options);
  };
}

/** Makes a registered agent live at `url` for 3 credits a call, without verification. Returns its agent id. */
export async function putServerLive(
  { owner, container }: Pick<TestMarket, 'owner' | 'container'>,
  developerUserId: string,
  url: string,
  protocol: 'http' | 'mcp' = 'mcp',
  declared: Declared = {},
): Promise<string> {
  const slug = newSlug('server');
  const agentId = `agt_${slug.replaceAll('-', '_')}_v1`;
  const sealed = await container.cipher.seal(Buffer.from(newSigningSecret()), signingSecretContext(agentId));
  await claimSlug(owner, slug, developerUserId);
  const agent = { agentId, slug, major: 1, developerUserId, kind: protocol };
  await insertAgent(owner, { ...agent, sealedSigningSecret: sealed });
  const access = { endpoint_url: url, price_per_call_units: 300, protocol };
  const { versionId } = await insertRegistration(owner, {
    agentId,
    registration: { slug, name: 'Self-hosted', access_config: access, ...declared },
    author: 'dev_test',
    number: { major: 1, minor: 0, patch: 0 },
    submit: true,
  });
  await putLive(owner, agentId, versionId, 0);
  // Otherwise a verification of its first list begins while a test counts what reaches the server.
  await owner.query(
    `INSERT INTO tool_watches (version_id, agent_id, digest, asked_at) VALUES ($1, $2, repeat('0', 64), now())`,
    [versionId, agentId],
  );
  return agentId;
}

/** A JSON-RPC result. */
export function rpcResult(id: number | undefined, result: unknown): Behaviour {
  return { kind: 'answer', output: { jsonrpc: '2.0', id, result } };
}

/** Events of a stream, each of one message, as they are given. */
export function rpcEvents(events: readonly (string | Buffer)[], then: 'end' | 'hangs' = 'end'): Behaviour {
  return { kind: 'stream', contentType: 'text/event-stream', parts: () => events, then };
}

function answerOf(message: UpstreamMessage, { era = 'legacy', tools, result }: UpstreamOptions): Behaviour {
  const { id, method, params } = message;
  const complete = era === 'modern' ? { resultType: 'complete' } : {};
  if (id === undefined) return { kind: 'answer', status: 202, output: {} };
  if (method === 'tools/list')
    return rpcResult(id, {
      ...complete,
      tools,
      ...(era === 'modern' && { ttlMs: 1, cacheScope: 'private' }),
    });
  if (method === 'tools/call') {
    const own = result?.(params) ?? {
      content: [{ type: 'text', text: JSON.stringify(params['arguments']) }],
    };
    return rpcResult(id, { ...complete, ...own });
  }
  if (method === 'initialize' && era === 'legacy') {
    const { protocolVersion } = params;
    return rpcResult(id, {
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'up', version: '1' },
    });
  }
  if (method === 'server/discover' && era === 'modern') {
    const versions = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
    return rpcResult(id, { ...complete, ...versions, ttlMs: 1, cacheScope: 'private' });
  }
  const error = { code: -32601, message: 'Method not found' };
  return {
    kind: 'answer',
    status: era === 'modern' ? 404 : 200,
    output: { jsonrpc: '2.0', id, error },
  };
}
