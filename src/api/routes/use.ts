import { admittedCallOf } from '../../services/calls/invocations';
import type { Request } from 'express';
import { useAgent } from '../../contract/use';
import { MarketError } from '../../domain/errors';
import type { InvokeEngine } from '../../engine/invoke';
import type { InvocationViews } from '../../services/calls/invocation-views';
import type { CallGate } from '../../services/calls/call-gate';
import type { InputCheck, PreparedInput } from '../../services/calls/agent/input-check';
import type { Mandates } from '../../services/mandates/mandates';
import type { ServingVersion, ServingVersions } from '../../services/catalogue/serving-version-cache';
import { callByPreference } from '../answers/call-by-preference';
import { isJsonUtf8 } from '../bodies/body';
import type { BodyTask } from '../bodies/body-task';
import { slugGate } from '../requests/call-gates';
import { clientGone } from '../identity/context';
import {
  acceptOf,
  idempotencyKeyOf,
  inBody,
  invalidHeader,
  mandateFromHeader,
  quoteOf,
  maxCostOf,
  metadataOf,
  readEvery,
  withBodyPaths,
} from '../requests/request-fields';
import { type NamedTool, type ToolLists, unknownTool } from '../requests/known-tool';
import { answerVisit, refuseOfAccounts, slugVisits, type VisitorDeps } from '../x402/visitor';
import type { RouteBinder } from '../binding/route';

export interface UseRouteDeps extends VisitorDeps {
  engine: InvokeEngine;
  callGate: CallGate;
  inputCheck: InputCheck;
  servingVersions: ServingVersions;
  mandates: Mandates;
  mcpTools: ToolLists;
  invocationViews: InvocationViews;
}

/** POST /v1/agents/{owner}/{slug}/use. */
export function useRoutes(binder: RouteBinder, deps: UseRouteDeps): void {
  binder.bind(
    useAgent,
    async ({ params, caller, traceId, hops, readBytes, perform, req, res }) => {
      const version = await deps.servingVersions.ofOwner(params.owner, params.slug, caller?.userId);
      const task = taskOf(version, req);
      const { input, canonical, tool } = await readBytes((bytes) => perform<PreparedUse>(task, bytes));
      const named = version.kind === 'mcp' && tool !== undefined ? { version, name: tool, hops } : undefined;
      const options = await readOptions(deps, { req, named, version, input });
      const { agentId } = version;
      const call = { agentId, surface: 'use' as const, input, traceId, hops, gone: clientGone(res) };
      try {
        if (!caller) {
          const { mandate, quote, ...own } = options;
          refuseOfAccounts({ mandate, quote });
          return await answerVisit(deps, { req, res }, { ...call, ...own });
        }
        const request = await admittedCallOf(deps.mandates, {
          ...options,
          ...call,
          principal: caller,
          canonicalInput: () => canonical ?? JSON.stringify(input.sha256),
        });
        return await callByPreference(deps, request, { req, res, userId: caller.userId });
      } catch (error) {
        if (!(error instanceof MarketError)) throw error;
        throw withBodyPaths(named ? await aboutTool(deps, named, error) : error);
      }
    },
    slugGate(deps.callGate),
    slugVisits(deps),
  );
}

interface ReadUse {
  req: Request;
  named: NamedTool | undefined;
  version: ServingVersion;
  input: PreparedInput;
}

/** Reads the headers of a call. The refusal names every wrong header, a tool that is unknown, and every wrong field. */
async function readOptions({ mcpTools, inputCheck }: UseRouteDeps, { req, named, version, input }: ReadUse) {
  const unknown = named && (await unknownTool(mcpTools, named, { cached: true }));
  const { known: _known, ...options } = await readEvery(
    {
      idempotencyKey: () => idempotencyKeyOf(req, undefined),
      maxCostCredits: () => maxCostOf(req, undefined),
      quote: () => quoteOf(req, undefined),
      metadata: () => metadataOf(req, undefined),
      accept: () => acceptOf(req, undefined, []),
      mandate: () => mandateFromHeader(req),
      known: () => {
        if (unknown) throw withBodyPaths(unknown);
      },
    },
    async () => (await inputCheck.ofVersion(version, input.body)).map(inBody),
  );
  return options;
}

/**
 * The call input that a body stands for. Without a canonical form, a mandate's proof covers the SHA-256 of the bytes.
 */
interface PreparedUse {
  input: PreparedInput;
  canonical?: string;
  /** The string of the member `tool`, which names the tool of an MCP agent. */
  tool?: string;
}

/** The failure of a tool call; if its server has no such tool, the error that says so. */
async function aboutTool(
  { mcpTools }: UseRouteDeps,
  tool: NamedTool,
  error: MarketError,
): Promise<MarketError> {
  if (error.code !== 'agent_error') return error;
  const { invocationId } = error;
  return (await unknownTool(mcpTools, tool, { cached: false, invocationId })) ?? error;
}

/**
 * Self-hosted agents without schemas get the bytes of the body. For other agents the body is their input, in JSON. A
 * mandate's proof covers that input; for bytes, it covers their SHA-256 in hexadecimal.
 */
function taskOf({ kind, inputSchema }: ServingVersion, req: Request): BodyTask {
  const contentType = req.headers['content-type'];
  if (kind === 'http' && inputSchema === null) return { kind: 'verbatim', contentType: typeOf(contentType) };
  if (!isJsonUtf8(contentType)) throw new MarketError('unsupported_media_type');
  return { kind: 'input', needsCanonical: req.get('x-mandate') !== undefined };
}

/** The content type that the buyer sent; bytes without one are `application/octet-stream`. Throws `invalid_header`. */
function typeOf(contentType: string | undefined): string {
  if (contentType === undefined) return 'application/octet-stream';
  if (/^[\x21-\x7e][\x20-\x7e]{0,254}$/.test(contentType)) return contentType;
  throw invalidHeader('Content-Type', 'Content-Type takes 1 to 255 visible ASCII characters.');
}
