/**
 * Messages of callers without credentials, who pay for the call by x402 (version 2, "A2A transport"): the first is
 * answered by a task that asks for the payment, the second has the id of the task, and the payment in its metadata (ADR
 * 0391).
 */
import { AgentCard, type Message, type SendMessageRequest, Task } from '@a2a-js/sdk';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { A2A_META, outputArtifact } from '../../domain/a2a/a2a-wire';
import { rejectsTask } from '../../domain/a2a/a2a-task';
import { interfacesOf } from '../../domain/a2a/a2a-card';
import {
  isVisitorTask,
  MOST_ORDER_BYTES,
  orderIn,
  orderJson,
  orderPart,
  taskIdOf,
} from '../../domain/a2a/visitor-order';
import {
  PAYMENT_REQUIRED_KEYS as KEYS,
  PAYMENT_REQUIRED_STATUS,
  X402_EXTENSION,
} from '../../domain/calls/payment-required';
import { isRetryable, MarketError } from '../../domain/errors';
import { asRecord } from '../../domain/json-value';
import { newId } from '../../kit/ids/ids';
import { parseStrictJson } from '../../kit/json/strict-json';
import { taskOutput } from '../../services/a2a/a2a-task-views';
import type { InputCheck, PreparedInput } from '../../services/calls/agent/input-check';
import type { ServingVersions } from '../../services/catalogue/serving-version-cache';
import type { PricedCall } from '../../services/x402/payment-answers';
import { reportDelivery } from '../answers/answer-call';
import { type FaultDeps, toMarketError } from '../answers/errors';
import { prepareInput } from '../bodies/prepares';
import { idempotencyKeyOf, metadataOf, quoteOf } from '../requests/request-fields';
import {
  askPayment,
  invokeResource,
  payAndInvoke,
  priceOf,
  refuseOfAccounts,
  type VisitDeps,
} from '../x402/visitor';
import type { A2aVisitor } from './caller';
import { createGuards } from './guards';
import { acceptIn, ceilingIn, keyIn, type Metadata, pairsIn, quoteIn, requireName } from './message';
import { inputOf } from './send';

export interface A2aVisitDeps extends VisitDeps, FaultDeps {
  servingVersions: Pick<ServingVersions, 'ofAgent'>;
  inputCheck: InputCheck;
  origin: string;
}

type Json = Record<string, unknown>;

/** What a visitor wants: the input, and the id of the task by which the payment names it. */
interface Order {
  input: PreparedInput;
  maxCostCredits: number | null;
  taskId: string;
  contextId: string;
}

/** Every operation but sending a message needs an account, and so does a message that does not speak x402. */
export function createVisitorHandler(deps: A2aVisitDeps): A2ARequestHandler {
  const { guard, guardStream } = createGuards<A2aVisitor>(deps, [X402_EXTENSION]);
  const card = AgentCard.fromJSON({
    name: 'agent',
    supportedInterfaces: interfacesOf(deps.origin, 'agent'),
    capabilities: { streaming: true, pushNotifications: true },
  });
  const refuse = <P, R>() => guard<P, R>(() => Promise.reject(new MarketError('not_authenticated')));
  const refuseStream = <P, T>() =>
    // eslint-disable-next-line require-yield -- it refuses every request
    guardStream<P, T>(async function* () {
      throw await Promise.resolve(new MarketError('not_authenticated'));
    });
  return {
    getAgentCard: () => Promise.resolve(card),
    getAuthenticatedExtendedAgentCard: refuse(),
    sendMessage: guard((params: SendMessageRequest, visitor, context) =>
      answer(deps, visitor, params, context),
    ),
    sendMessageStream: refuseStream(),
    resubscribe: refuseStream(),
    getTask: refuse(),
    listTasks: refuse(),
    cancelTask: refuse(),
    createTaskPushNotificationConfig: refuse(),
    getTaskPushNotificationConfig: refuse(),
    listTaskPushNotificationConfigs: refuse(),
    deleteTaskPushNotificationConfig: refuse(),
  };
}

async function answer(
  deps: A2aVisitDeps,
  visitor: A2aVisitor,
  { message, metadata }: SendMessageRequest,
  context: ServerCallContext,
): Promise<Task> {
  if (!message) throw new MarketError('validation_failed', { message: 'A message is required.' });
  const own = asRecord(message.metadata);
  const payment = own[KEYS.a2aPayload];
  if (payment === undefined && !context.requestedExtensions?.includes(X402_EXTENSION))
    throw new MarketError('not_authenticated');
  const version = await deps.servingVersions.ofAgent(visitor.agentId, undefined);
  if (!version.a2aInvocable) throw new MarketError('a2a_not_allowed');
  refuseOfAccounts({ quote: quoteOf(visitor.req, quoteIn(message.metadata, metadata)) });
  const order = isVisitorTask(message.taskId)
    ? namedOrder(message.taskId)
    : newOrder(visitor, message, metadata);
  if (own[KEYS.a2aStatus] === 'payment-rejected') return rejected(order);
  const resource = invokeResource(deps.origin, version);
  const priced = priceOf(deps.paidCalls, version, resource, order.maxCostCredits);
  if (payment !== undefined) return pay(deps, visitor, { order, priced, payment, message, metadata });
  const detail = await deps.inputCheck.ofVersion(version, order.input.body);
  if (detail.length > 0) throw new MarketError('input_schema_mismatch', { detail });
  return asking(order, askPayment(deps.paidCalls, visitor.req, priced));
}

/** The order that a task id names. Throws `not_found`. */
function namedOrder(taskId: string): Order {
  const order = orderIn(valueIn(orderPart(taskId)));
  if (!order) throw new MarketError('not_found');
  return { ...order, taskId, input: prepareInput(order.input) };
}

function valueIn(base64url: string): unknown {
  try {
    return parseStrictJson(Buffer.from(base64url, 'base64url')).value;
  } catch (error) {
    if (error instanceof MarketError) return undefined;
    throw error;
  }
}

/**
 * The order of a first message. Throws `validation_failed`, and `payload_too_large` for an input that no id can carry.
 */
function newOrder(visitor: A2aVisitor, message: Message, metadata: Metadata | undefined): Order {
  if (message.taskId !== '') throw new MarketError('not_found');
  requireName('messageId', message.messageId);
  const contextId = message.contextId === '' ? newId('ses') : requireName('contextId', message.contextId);
  const maxCostCredits = ceilingIn(message.metadata, metadata);
  const { input } = inputOf(visitor.divided);
  const json = orderJson(input.body.toString(), { contextId, maxCostCredits });
  const isPaid = asRecord(message.metadata)[KEYS.a2aPayload] !== undefined;
  if (json === undefined && !isPaid)
    throw new MarketError('payload_too_large', {
      message: `Without an account, an input of more than ${MOST_ORDER_BYTES} bytes is sent with its payment: take the price from POST …/invoke.`,
    });
  const taskId = taskIdOf(json === undefined ? newId('inv') : Buffer.from(json).toString('base64url'));
  return { input, maxCostCredits, taskId, contextId };
}

interface Paying {
  order: Order;
  priced: PricedCall;
  payment: unknown;
  message: Message;
  metadata: Metadata | undefined;
}

/** Makes the call, and answers its end. Throws what is no answer to the task, such as `rate_limited`. */
async function pay(
  deps: A2aVisitDeps,
  visitor: A2aVisitor,
  { order, priced, payment, message, metadata }: Paying,
): Promise<Task> {
  const { req, traceId, hops, closed } = visitor;
  try {
    const presented = deps.paidCalls.read(priced, payment);
    const { call, receipt } = await payAndInvoke(deps, presented, req, {
      agentId: visitor.agentId,
      surface: 'a2a',
      input: order.input,
      maxCostCredits: order.maxCostCredits,
      accept: acceptIn(req, message.metadata, metadata),
      idempotencyKey: idempotencyKeyOf(req, keyIn(message.metadata, metadata)),
      metadata: metadataOf(req, pairsIn(message.metadata, metadata)),
      traceId,
      hops,
      gone: closed,
    });
    if (req.res) reportDelivery(req.res, call);
    const { output, plain } = call;
    const isOfA2aAgent = priced.version.kind === 'a2a';
    return taskOf(order, 'COMPLETED', {
      messageId: `${call.invocationId}-status`,
      text: 'The payment is settled, and the call has its answer.',
      about: { [KEYS.a2aStatus]: 'payment-completed', [KEYS.a2aReceipts]: receipt ? [receipt] : [] },
      artifact:
        output &&
        outputArtifact(call.invocationId, taskOutput({ output, plain, isOfA2aAgent }, visitor.hold)),
      metadata: {
        [A2A_META.invocationId]: call.invocationId,
        [A2A_META.traceId]: call.traceId,
        [A2A_META.creditsCharged]: call.usage.chargedCredits,
        ...(output === null && { [A2A_META.outputExpired]: true }),
      },
    });
  } catch (error) {
    return failed(order, toMarketError(error, deps, traceId), traceId);
  }
}

/** The task of a call that failed. Throws the error if it is about the request, which can be sent again as it is. */
function failed(order: Order, error: MarketError, traceId: string): Task {
  const { code, message, detail, invocationId, x402 } = error;
  const isAnswer = rejectsTask(code) || invocationId !== undefined || x402 !== undefined;
  if (!isAnswer || code === 'not_authenticated') throw error;
  return taskOf(order, rejectsTask(code) ? 'REJECTED' : 'FAILED', {
    messageId: `${traceId}-status`,
    text: message,
    data: { error: { code, message, retryable: isRetryable(code), ...(detail && { detail }) } },
    about: {
      [KEYS.a2aStatus]: 'payment-failed',
      [KEYS.a2aError]: code,
      [KEYS.a2aReceipts]: x402?.settlement ? [x402.settlement] : [],
      ...(x402?.required && { [KEYS.a2aRequired]: x402.required }),
    },
    metadata: {
      ...(invocationId !== undefined && { [A2A_META.invocationId]: invocationId }),
      [A2A_META.traceId]: traceId,
      [A2A_META.errorCode]: code,
    },
  });
}

function asking(order: Order, { message, x402 }: MarketError): Task {
  return taskOf(order, 'INPUT_REQUIRED', {
    messageId: newId('ses'),
    text: message,
    about: { [KEYS.a2aStatus]: PAYMENT_REQUIRED_STATUS, [KEYS.a2aRequired]: x402?.required },
    metadata: {},
  });
}

function rejected(order: Order): Task {
  return taskOf(order, 'REJECTED', {
    messageId: newId('ses'),
    text: 'The caller does not pay. Nothing was called.',
    about: { [KEYS.a2aStatus]: 'payment-rejected' },
    metadata: {},
  });
}

interface TaskParts {
  messageId: string;
  text: string;
  data?: Json;
  /** The metadata of the status message: what x402 says. */
  about: Json;
  artifact?: Json | null;
  metadata: Json;
}

function taskOf({ taskId, contextId }: Order, state: string, parts: TaskParts): Task {
  const { messageId, text, data, about, artifact, metadata } = parts;
  return Task.fromJSON({
    id: taskId,
    contextId,
    status: {
      state: `TASK_STATE_${state}`,
      timestamp: new Date().toISOString(),
      message: {
        messageId,
        contextId,
        taskId,
        role: 'ROLE_AGENT',
        parts: [{ text }, ...(data ? [{ data, mediaType: 'application/json' }] : [])],
        metadata: about,
        extensions: [X402_EXTENSION],
      },
    },
    ...(artifact && { artifacts: [artifact] }),
    metadata,
  });
}
