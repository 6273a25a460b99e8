/** SendMessage: a message becomes a task, or a task that is refused. */
import type { Message, SendMessageRequest } from '@a2a-js/sdk';
import { Message as MessageCodec } from '@a2a-js/sdk';
import { a2aBase, mandateExtension } from '../../domain/a2a/a2a-card';
import { MarketError } from '../../domain/errors';
import { readPresented } from '../../domain/mandates/mandate';
import { paymentRequired } from '../../domain/calls/payment-required';
import type { TaskEngine } from '../../engine/tasks';
import { canonicalJson } from '../../kit/json/canonical-json';
import type { PushConfigs } from '../../services/a2a/a2a-push';
import type { A2aTasks, TaskRequest } from '../../services/a2a/a2a-tasks';
import { prepareInput } from '../../services/calls/invocations';
import { type MandateUse, payerOf } from '../../services/mandates/mandate-use';
import type { Mandates } from '../../services/mandates/mandates';
import type { ServingVersion } from '../../services/catalogue/serving-version-cache';
import { idempotencyKeyOf } from '../requests/idempotency-key';
import type { A2aCaller } from './caller';
import { ceilingIn, inputOf, keyIn, type Metadata, requireName } from './message';
import { targetOf } from './push';

export interface SendDeps {
  a2aTasks: A2aTasks;
  taskEngine: TaskEngine;
  mandates: Pick<Mandates, 'admit'>;
  pushConfigs: Pick<PushConfigs, 'admit'>;
  origin: string;
}

/** What a message says, read and checked. */
interface ReadMessage {
  message: Message;
  metadata: Metadata | undefined;
  input: Record<string, unknown>;
  maxCostCredits: number | null;
  /** As the client named it; null: the message's own id is the key. */
  key: string | null;
}

/**
 * Accepts the task and answers its id. A refusal that is an answer to the task (no credits, a mandate that does not
 * carry it, an input outside the schema) becomes a task that is rejected; others are thrown.
 */
export async function send(
  deps: SendDeps,
  caller: A2aCaller,
  { message, metadata, configuration }: SendMessageRequest,
): Promise<string> {
  if (!message) throw new MarketError('validation_failed', { message: 'A message is required.' });
  const version = await deps.a2aTasks.requireInvocable(caller.agentId, caller.principal.userId);
  const read = readMessage(caller, version, message, metadata);
  const target = configuration?.taskPushNotificationConfig;
  const push = target ? await deps.pushConfigs.admit(targetOf(target)) : null;
  const unpaid = requestOf(deps, caller, read, push);
  let request = unpaid;
  try {
    const mandate = await mandateOf(deps, caller, read);
    request = { ...unpaid, call: { ...unpaid.call, ...payerOf(caller.principal, mandate) } };
    const { taskId } = await deps.taskEngine.submit(request);
    return taskId;
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    const lacking = lackingOf(deps, version, read, error);
    const rejected = await deps.a2aTasks.reject(request, error, lacking);
    if (rejected === undefined) throw error;
    return rejected;
  }
}

function readMessage(
  { req }: A2aCaller,
  version: ServingVersion,
  message: Message,
  metadata: Metadata | undefined,
): ReadMessage {
  requireName('messageId', message.messageId);
  if (message.contextId !== '') requireName('contextId', message.contextId);
  return {
    message,
    metadata,
    input: inputOf(message, version),
    maxCostCredits: ceilingIn(message.metadata, metadata),
    key: idempotencyKeyOf(req, keyIn(message.metadata, metadata)) ?? null,
  };
}

function requestOf(
  { origin }: SendDeps,
  { principal, agentId, traceId, hops }: A2aCaller,
  { message, input, maxCostCredits, key }: ReadMessage,
  push: TaskRequest['push'],
): TaskRequest {
  return {
    callerUserId: principal.userId,
    agentId,
    contextId: message.contextId === '' ? null : message.contextId,
    message: keptMessage(message, origin),
    push,
    call: {
      ...payerOf(principal, undefined),
      input: prepareInput(input),
      maxCostCredits,
      idempotencyKey: key === null ? `m:${agentId}:${message.messageId}` : `k:${key}`,
      traceId,
      hops,
    },
  };
}

/** The history shows the message without the mandate, which is for us only. */
function keptMessage(message: Message, origin: string): Record<string, unknown> {
  const { [mandateExtension(origin)]: _mandate, ...metadata } = message.metadata ?? {};
  const shown = { ...message, metadata: Object.keys(metadata).length > 0 ? metadata : undefined };
  return MessageCodec.toJSON(shown) as Record<string, unknown>;
}

async function mandateOf(
  deps: SendDeps,
  { principal, agentId }: A2aCaller,
  { message, input, key }: ReadMessage,
): Promise<MandateUse | undefined> {
  const presented: unknown = message.metadata?.[mandateExtension(deps.origin)];
  if (presented === undefined) return undefined;
  return deps.mandates.admit({
    mandate: readPresented(presented),
    agentId,
    callerUserId: principal.userId,
    idempotencyKey: key,
    canonicalInput: () => canonicalJson(input),
  });
}

/** What a call without credits lacks, in the words of x402; for reading only. */
function lackingOf(
  { origin }: SendDeps,
  version: ServingVersion,
  { maxCostCredits }: ReadMessage,
  { code }: MarketError,
): Record<string, unknown> | undefined {
  if (code !== 'insufficient_credits') return undefined;
  return {
    ...paymentRequired({
      origin,
      resourceUrl: a2aBase(origin, version.agentId),
      agentId: version.agentId,
      displayName: version.displayName,
      creditsNeeded: Math.min(version.terms.maxCredits, maxCostCredits ?? Infinity),
      timeoutMs: version.timeoutMs,
      x402: version.x402,
    }),
  };
}
