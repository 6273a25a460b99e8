/**
 * The order of a caller without an account, as the id of its task: the payment comes in a second message, which has the
 * id of the task and not the input (ADR 0391). The id is no secret and proves nothing: everything in it is the caller's
 * own, and is checked again when it is paid.
 */
import { isCostCeiling } from '../calls/cost-ceiling';
import { isRecord } from '../json-value';

export interface VisitorOrder {
  input: Record<string, unknown>;
  contextId: string;
  /** The caller's ceiling; null for none. */
  maxCostCredits: number | null;
}

const PREFIX = 'x402_';
/** Longer inputs come with their payment, in one message. */
export const MOST_ORDER_BYTES = 16 * 1024;

export const isVisitorTask = (taskId: string): boolean => taskId.startsWith(PREFIX);

/** The JSON of an order, which its task id carries. Undefined if it is too long. */
export function orderJson(inputJson: string, { contextId, maxCostCredits }: Omit<VisitorOrder, 'input'>) {
  const rest = JSON.stringify({ contextId, maxCostCredits });
  const json = `{"input":${inputJson},${rest.slice(1)}`;
  return Buffer.byteLength(json) > MOST_ORDER_BYTES ? undefined : json;
}

export const taskIdOf = (base64url: string): string => `${PREFIX}${base64url}`;

/** The part of a task id that carries the order. */
export const orderPart = (taskId: string): string => taskId.slice(PREFIX.length);

/** The order in a value; undefined if it has none. */
export function orderIn(value: unknown): VisitorOrder | undefined {
  if (!isRecord(value)) return undefined;
  const { input, contextId, maxCostCredits } = value;
  if (!isRecord(input) || typeof contextId !== 'string') return undefined;
  if (maxCostCredits !== null && !isCostCeiling(maxCostCredits)) return undefined;
  return { input, contextId, maxCostCredits };
}
