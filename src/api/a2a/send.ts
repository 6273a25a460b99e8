/** SendMessage: turns a message into a task, or into a rejected task. */
import { admittedCallOf, type ClientCall, callRequestOf } from '../../services/calls/invocations';
import type { Message, SendMessageRequest } from '@a2a-js/sdk';
import { Message as MessageCodec } from '@a2a-js/sdk';
import { a2aBase, mandateExtension } from '../../domain/a2a/a2a-card';
import type { CallMetadata } from '../../domain/calls/call-metadata';
import { type FieldProblem, MarketError } from '../../domain/errors';
import type { NamedQuote } from '../../domain/prices/quote';
import { type PresentedMandate, readPresented } from '../../domain/mandates/mandate';
import { paymentRequired } from '../../domain/calls/payment-required';
import type { TaskEngine } from '../../engine/tasks';
import type { PushConfigs } from '../../services/a2a/a2a-push';
import type { TaskRequest } from '../../services/a2a/a2a-task-seals';
import type { A2aTasks } from '../../services/a2a/a2a-tasks';
import type { CallAcceptance } from '../../services/calls/answers/acceptance';
import type { InputCheck, PreparedInput } from '../../services/calls/agent/input-check';
import type { Mandates } from '../../services/mandates/mandates';
import { idempotencyKeyOf, metadataOf, quoteOf, readEvery } from '../requests/request-fields';
import type { A2aCaller } from './caller';
import type { DividedA2a } from '../bodies/divided-a2a';
import { acceptIn, ceilingIn, keyIn, type Metadata, pairsIn, quoteIn, requireName } from './message';
import { targetOf } from './push';

export interface SendDeps {
  a2aTasks: A2aTasks;
  taskEngine: TaskEngine;
  mandates: Pick<Mandates, 'vet'>;
  inputCheck: InputCheck;
  pushConfigs: Pick<PushConfigs, 'vet'>;
  origin: string;
}

/** The checked content of a message. */
interface ReadMessage {
  message: Message;
  metadata: Metadata | undefined;
  input: PreparedInput;
  /** Canonical input; empty without a mandate. */
  canonical: string;
  maxCostCredits: number | null;
  /** The client's idempotency key; undefined if there is none. */
  idempotencyKey: string | undefined;
  /** The caller's own pairs on the call. */
  pairs: CallMetadata | undefined;
  quote: NamedQuote | undefined;
  accept: CallAcceptance | undefined;
}

/**
 * Accepts a task and returns its id. A refusal that is an answer to the task (no credits, an unsuitable mandate, an
 * input that violates the schema) creates a rejected task. Other errors are thrown.
 */
export async function send(
  deps: SendDeps,
  caller: A2aCaller,
  { message, metadata, configuration }: SendMessageRequest,
): Promise<string> {
  if (!message) throw new MarketError('validation_failed', { message: 'A message is required.' });
  const version = await deps.a2aTasks.requireInvocable(caller.agentId, caller.principal.userId);
  const read = await readMessage(caller, { message, metadata }, (input) =>
    deps.inputCheck.ofVersion(version, input),
  );
  const target = configuration?.taskPushNotificationConfig;
  const push = target ? await deps.pushConfigs.vet(targetOf(target, caller)) : null;
  const unpaid = orderOf(caller, read);
  let request = requestOf(deps, unpaid, read, push);
  try {
    const order = { ...unpaid, mandate: mandateOf(deps, read) };
    request = { ...request, call: await admittedCallOf(deps.mandates, order) };
    const { taskId } = await deps.taskEngine.submit(request);
    return taskId;
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    const resourceUrl = a2aBase(deps.origin, version.agentId);
    const lacking = paymentRequired(error, { origin: deps.origin, resourceUrl });
    const rejected = await deps.a2aTasks.reject(request, error, lacking && { ...lacking });
    if (rejected === undefined) throw error;
    return rejected;
  }
}

/** Reads a message. The refusal names every wrong field of the message and, if its input can be read, of the input. */
async function readMessage(
  { req, divided }: A2aCaller,
  { message, metadata }: { message: Message; metadata: Metadata | undefined },
  problemsOf: (input: Buffer) => Promise<FieldProblem[]>,
): Promise<ReadMessage> {
  const {
    messageId: _id,
    contextId: _context,
    content,
    ...options
  } = await readEvery(
    {
      messageId: () => requireName('messageId', message.messageId),
      contextId: () => message.contextId === '' || requireName('contextId', message.contextId),
      maxCostCredits: () => ceilingIn(message.metadata, metadata),
      idempotencyKey: () => idempotencyKeyOf(req, keyIn(message.metadata, metadata)),
      pairs: () => metadataOf(req, pairsIn(message.metadata, metadata)),
      quote: () => quoteOf(req, quoteIn(message.metadata, metadata)),
      accept: () => acceptIn(req, message.metadata, metadata),
      content: () => inputOf(divided),
    },
    async () => (divided?.input ? problemsOf(divided.input.body) : []),
  );
  return { message, metadata, ...content, ...options };
}

/** Throws `validation_failed` and `unsupported_media_type` for a message that is not suitable as input. */
export function inputOf({ input, canonical = '', refusal }: Partial<DividedA2a> = {}) {
  if (input) return { input, canonical };
  throw new MarketError(refusal?.code ?? 'validation_failed', {
    message: refusal?.message ?? 'A message is required.',
    ...(refusal?.code === 'validation_failed' && {
      detail: [{ loc: ['body', 'message', 'parts'], msg: refusal.message, type: 'value' }],
    }),
  });
}

/** The call for a message. Without a client's key, the message id prevents a second call. */
function orderOf(
  { principal, agentId, traceId, hops }: A2aCaller,
  { message, input, canonical, maxCostCredits, idempotencyKey, pairs, quote, accept }: ReadMessage,
): ClientCall {
  return {
    principal,
    agentId,
    surface: 'a2a',
    input,
    canonicalInput: () => canonical,
    maxCostCredits,
    idempotencyKey,
    metadata: pairs,
    quote,
    accept,
    defaultKey: `m:${agentId}:${message.messageId}`,
    mandate: undefined,
    traceId,
    hops,
  };
}

/** The task of a call that the caller pays; a mandate may change the payer. */
function requestOf(
  { origin }: SendDeps,
  order: ClientCall,
  { message }: ReadMessage,
  push: TaskRequest['push'],
): TaskRequest {
  return {
    callerUserId: order.principal.userId,
    agentId: order.agentId,
    contextId: message.contextId === '' ? null : message.contextId,
    message: keptMessage(message, origin),
    push,
    call: callRequestOf(order, undefined),
  };
}

/** The message for the task's history, without the mandate, which is meant for the marketplace only. */
function keptMessage(message: Message, origin: string): Record<string, unknown> {
  const { [mandateExtension(origin)]: _mandate, ...metadata } = message.metadata ?? {};
  const shown = { ...message, metadata: Object.keys(metadata).length > 0 ? metadata : undefined };
  return MessageCodec.toJSON(shown) as Record<string, unknown>;
}

/** Throws `mandate_invalid` for metadata that does not have the form of a mandate. */
function mandateOf({ origin }: SendDeps, { message }: ReadMessage): PresentedMandate | undefined {
  const presented: unknown = message.metadata?.[mandateExtension(origin)] ?? undefined;
  return presented === undefined ? undefined : readPresented(presented);
}
