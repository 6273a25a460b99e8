/**
 * `call_agent`: a paid call, by the course that the servers of single agents have (ADR 0332). The client waits as it
 * does there, and gets a task, a question or the state of the call if it goes on without it.
 */
import type { CompletedCall } from '../../../engine/invoke';
import type { CallMetadata } from '../../../domain/calls/call-metadata';
import { MarketError } from '../../../domain/errors';
import type { NamedQuote } from '../../../domain/prices/quote';
import { asRecord } from '../../../domain/json-value';
import { callRequestOf } from '../../../services/calls/invocations';
import type { CallAcceptance } from '../../../services/calls/answers/acceptance';
import type { ServingVersion, ServingVersions } from '../../../services/catalogue/serving-version-cache';
import type { McpTools } from '../../../services/mcp/mcp-tools';
import { reportDelivery } from '../../answers/answer-call';
import { REPLAYED_HEADERS } from '../../answers/replayed';
import { clientGone } from '../../identity/context';
import { asyncPreferenceOf } from '../../requests/prefer';
import { idempotencyKeyOf, maxCostOf } from '../../requests/request-fields';
import { patienceOf } from '../call-patience';
import { type PayingCaller, payingCaller } from '../notices';
import { askingResult, keyOfRound, readRound } from '../rounds';
import { createdTask } from '../running-call';
import { formResult, heldForm } from '../tasks/held-forms';
import { inputRequests } from '../tasks/questions';
import { readCallOf } from '../tasks/follow';
import { openQuestion } from '../tasks/view';
import type { ToolCallDeps } from '../tool-call';
import type { McpExchange } from '../wire/mcp-request';
import { acceptIn, metadataIn, quoteIn } from '../wire/call-options';
import { askingPieces, metaOf } from '../wire/results';
import { MARKET_META } from '../../../domain/calls/mcp-meta';
import { callPieces, readPieces, stateOfCompleted } from './call-state';
import type { ArgumentsOf } from './tool-schemas';

export interface CallAgentDeps extends ToolCallDeps {
  servingVersions: ServingVersions;
  mcpTools: McpTools;
}

export async function callAgent(
  deps: CallAgentDeps,
  request: McpExchange,
  args: ArgumentsOf<'call_agent'>,
): Promise<void> {
  const version = await deps.servingVersions.ofAgent(args.agent_id, request.principal.userId);
  await requireTool(deps, version, args, request.hops);
  const { max_cost_credits: given, idempotency_key: key } = args;
  // The configuration of a client may have a ceiling for all of its calls.
  const maxCostCredits = Math.min(given, maxCostOf(request.req, undefined) ?? Infinity);
  const idempotencyKey = idempotencyKeyOf(request.req, key);
  const meta = asRecord(request.message.params._meta);
  const metadata = metadataIn(request.req, meta);
  const quote = quoteIn(request.req, meta);
  const accept = acceptIn(request.req, meta);
  await payCall(deps, request, version, { maxCostCredits, idempotencyKey, metadata, quote, accept });
}

/** What the caller of an agent has chosen beside its input. */
interface CallTerms {
  maxCostCredits: number | null;
  idempotencyKey: string | undefined;
  metadata: CallMetadata | undefined;
  quote: NamedQuote | undefined;
  accept: CallAcceptance | undefined;
  /** The tool has a page, which reads the result as its server made it. */
  hasPage?: boolean;
}

/** Makes the paid call whose input the request has, and answers it. */
export async function payCall(
  deps: CallAgentDeps,
  request: McpExchange,
  version: ServingVersion,
  { hasPage = false, ...terms }: CallTerms,
): Promise<void> {
  const { id, client, era, principal, reply, res, server } = request;
  const call = await heardCall(deps, request, version, terms);
  const scope = { buyerUserId: principal.userId, agentId: version.agentId };
  if (!('usage' in call)) return answerRunning(deps, request, call.invocationId);
  if (client.wantsTask) {
    call.served?.(false);
    reply.result(id, createdTask(request, await readCallOf(deps, scope, call.invocationId)));
    return;
  }
  reportDelivery(res, call);
  if (call.replayed && !reply.begun) res.set(REPLAYED_HEADERS);
  const isServer = version.kind === 'mcp';
  const asking = isServer ? await askingResult(deps, { ...request, version }, call.output) : undefined;
  if (asking) return reply.result(id, askingPieces(era, server.identity, call, asking));
  const state = stateOfCompleted(version, call);
  reply.result(id, await callPieces(request, state, call, { isServer, hasPage }));
}

/** Makes the paid call. Meanwhile, the client hears what the server of the agent says of it, and is asked by it. */
async function heardCall(
  deps: CallAgentDeps,
  request: McpExchange,
  version: ServingVersion,
  terms: CallTerms,
): Promise<CompletedCall | { invocationId: string }> {
  const round = await readRound(deps, { ...request, version });
  const toolCaller = payingCaller(deps, { ...request, version }, round);
  const idempotencyKey = keyOfRound(terms.idempotencyKey, round);
  try {
    return await begin(deps, request, version, { ...terms, idempotencyKey, toolCaller });
  } finally {
    await toolCaller?.sent();
  }
}

/** Makes the paid call. While it runs, only the bytes of the input are kept. */
async function begin(
  deps: CallAgentDeps,
  request: McpExchange,
  { agentId }: ServingVersion,
  terms: CallTerms & { toolCaller: PayingCaller | undefined },
): Promise<CompletedCall | { invocationId: string }> {
  const { client, principal, traceId, hops, req, res } = request;
  const { input } = request.prepared;
  if (!input) throw new Error('valid arguments have an input');
  request.prepared = { body: null };
  const order = callRequestOf(
    {
      principal,
      agentId,
      surface: 'mcp',
      input,
      canonicalInput: () => '',
      ...terms,
      mandate: undefined,
      traceId,
      hops,
      gone: clientGone(res),
    },
    undefined,
  );
  const takesTask = client.takesTasks || client.wantsTask;
  const { toolCaller: told } = terms;
  const mayLeave = takesTask || told?.begun !== undefined || asyncPreferenceOf(req) !== undefined;
  const patience = patienceOf(deps, request, { buyerUserId: principal.userId, agentId }, takesTask, told);
  return deps.engine.begin(mayLeave ? { ...order, detached: true } : order, patience);
}

/** A call that goes on: a task, the agent's question as a form, or its state. */
export async function answerRunning(
  deps: CallAgentDeps,
  request: McpExchange,
  invocationId: string,
): Promise<void> {
  const { id, era, client, principal, reply, server } = request;
  const form = heldForm(deps, request, invocationId);
  if (form) return reply.result(id, formResult(request, invocationId, form));
  const call = await readCallOf(deps, { buyerUserId: principal.userId, agentId: undefined }, invocationId);
  if (client.takesTasks || client.wantsTask) return reply.result(id, createdTask(request, call));
  const question = openQuestion(call);
  if (!question || era !== 'modern' || !client.elicits)
    return reply.result(id, await readPieces(request, call));
  const result = {
    resultType: 'input_required',
    inputRequests: inputRequests(question),
    requestState: invocationId,
    _meta: { ...metaOf(era, server.identity), [MARKET_META.invocationId]: invocationId },
  };
  reply.result(id, [JSON.stringify(result)]);
}

/** Throws `input_schema_mismatch` in words that name the tools if `tool` is missing, wrong, or means nothing. */
async function requireTool(
  { mcpTools }: CallAgentDeps,
  version: ServingVersion,
  { tool }: ArgumentsOf<'call_agent'>,
  hops: number,
): Promise<void> {
  if (version.kind !== 'mcp') {
    if (tool !== undefined)
      throw wrongTool('has no tools of its own: leave tool out, and send its input alone.');
    return;
  }
  // An agent whose server does not list its tools is called anyway, and reveals the problem.
  const known = await mcpTools.of(version, hops).catch((error: unknown) => {
    if (!(error instanceof MarketError)) throw error;
    return undefined;
  });
  if (tool !== undefined) {
    const found = known && (await mcpTools.find(version, tool, hops));
    if (found?.gone !== undefined) throw new MarketError('agent_error', { message: found.gone });
    if (!known || found) return;
  }
  const names = (known?.names ?? []).slice(0, 50).map((name) => name.slice(0, 128));
  throw wrongTool(
    `has tools of its own: name one of them in tool. They are: ${names.join(', ') || 'not known now'}.`,
  );
}

function wrongTool(what: string): MarketError {
  const msg = `The agent ${what}`;
  const detail = [{ loc: ['arguments', 'tool'], msg, type: 'unknown_tool' }];
  return new MarketError('input_schema_mismatch', { message: msg, detail });
}
