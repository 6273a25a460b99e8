/**
 * `tools/call` of a caller without credentials, who pays for it by x402: the payment is in `_meta["x402/payment"]`, its
 * receipt in `_meta["x402/payment-response"]`. A request that neither carries a payment nor declares the extension
 * `org.x402/payment` is refused with 401, from which other clients learn that they must log in.
 */
import type { TObject } from '@sinclair/typebox';
import { MarketError } from '../../domain/errors';
import { asRecord, isRecord } from '../../domain/json-value';
import type { PaymentRequired } from '../../domain/calls/payment-required';
import type { McpTools } from '../../services/mcp/mcp-tools';
import type { ServingVersion } from '../../services/catalogue/serving-version-cache';
import { toMarketError, type FaultDeps } from '../answers/errors';
import type { DividedMessage } from '../bodies/divided-mcp';
import type { HandlerInput } from '../bodies/handler-input';
import { clientGone } from '../identity/context';
import {
  askPayment,
  invokeResource,
  payAndInvoke,
  priceOf,
  refuseOfAccounts,
  type VisitDeps,
} from '../x402/visitor';
import { eraOf } from './wire/era';
import { optionReaders } from './wire/call-options';
import { McpFault, PROTOCOL_META, RPC, type McpMessage } from './wire/protocol';
import type { McpReply } from './wire/reply';
import { errorResult, metaOf, ownResult, passedResult } from './wire/results';
import { writerFor } from './tasks/ended-call';

/** The members of `_meta`, and the extension, of x402's binding to MCP. */
const PAYMENT = 'x402/payment';
const RECEIPT = 'x402/payment-response';
const EXTENSION = 'org.x402/payment';

export interface VisitorCallDeps extends VisitDeps, FaultDeps {
  mcpTools: Pick<McpTools, 'find'>;
  config: { PUBLIC_ORIGIN: string };
}

/** A message of a caller without credentials to the server of an agent. */
export interface VisitorMessage extends Pick<
  HandlerInput<TObject, TObject, unknown>,
  'req' | 'res' | 'perform' | 'traceId' | 'hops'
> {
  version: ServingVersion;
  message: McpMessage;
  prepared: DividedMessage;
  reply: McpReply;
}

/** Answers a call. Throws `not_authenticated` for any other message, and for agents whose calls cannot be paid so. */
export async function answerVisitor(deps: VisitorCallDeps, visitor: VisitorMessage): Promise<void> {
  const { message, version, req, hops } = visitor;
  const { id, method, params } = message;
  const meta = asRecord(params._meta);
  const { extensions } = asRecord(meta[PROTOCOL_META.capabilities]);
  const declares = isRecord(asRecord(extensions)[EXTENSION]);
  const pays = meta[PAYMENT] !== undefined || declares;
  if (id === undefined || method !== 'tools/call' || !pays) throw new MarketError('not_authenticated');
  const era = eraOf(message, req.headers);
  const name = typeof params.name === 'string' ? params.name : '';
  const tool = await deps.mcpTools.find(version, name, hops);
  if (!tool || tool.gone !== undefined)
    throw new McpFault(RPC.invalidParams, tool?.gone ?? `Unknown tool: ${name.slice(0, 128)}.`);
  try {
    const { call, receipt } = await paidCall(deps, visitor, meta);
    const write = writerFor(visitor);
    const more = receipt ? { [RECEIPT]: receipt } : {};
    const result =
      version.kind === 'mcp'
        ? await passedResult(era, version, call, write, more)
        : await ownResult(era, version, tool, call, write, more);
    visitor.reply.result(id, result);
  } catch (error) {
    if (error instanceof McpFault) throw error;
    const failure = toMarketError(error, deps, visitor.traceId);
    if (failure.code === 'not_authenticated') throw failure;
    const { required, settlement } = failure.x402 ?? {};
    const receipt = settlement ? { [RECEIPT]: settlement } : {};
    if (required && declares && era === 'modern') {
      const _meta = { ...metaOf(era, version), ...receipt };
      const result = { resultType: 'payment_required', paymentRequired: required, _meta };
      visitor.reply.result(id, [JSON.stringify(result)]);
      return;
    }
    const payment = required as PaymentRequired | undefined;
    const { traceId } = visitor;
    visitor.reply.result(id, errorResult({ era, version, error: failure, traceId, payment, more: receipt }));
  }
}

async function paidCall(
  deps: VisitorCallDeps,
  { version, prepared: { input }, req, res, traceId, hops }: VisitorMessage,
  meta: Record<string, unknown>,
) {
  if (!input) throw new McpFault(RPC.invalidParams, 'params.arguments must be an object.');
  const options = optionReaders(req, meta);
  refuseOfAccounts({ quote: options.quote() });
  const maxCostCredits = options.maxCostCredits();
  const { origin } = new URL(deps.config.PUBLIC_ORIGIN);
  const priced = priceOf(deps.paidCalls, version, invokeResource(origin, version), maxCostCredits);
  if (meta[PAYMENT] === undefined) throw askPayment(deps.paidCalls, req, priced);
  return payAndInvoke(deps, deps.paidCalls.read(priced, meta[PAYMENT]), req, {
    agentId: version.agentId,
    surface: 'mcp',
    input,
    maxCostCredits,
    idempotencyKey: options.idempotencyKey(),
    metadata: options.metadata(),
    accept: options.accept(),
    traceId,
    hops,
    gone: clientGone(res),
  });
}
