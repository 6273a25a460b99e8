/**
 * What a call costs a caller without an account, and the 402 answer that asks for it (x402 version 2). The price in
 * credits is that of every buyer; a credit is one US cent, and USDC has 6 decimals.
 */
import type { PriceTerms } from '../catalogue/pricing';
import type { ExactTerms } from './payment-payload';

/** Smallest units of USDC in a credit. */
export const MINOR_PER_CREDIT = 10_000;
/** Smallest units of USDC in a unit of the ledger, a hundredth of a credit. */
export const MINOR_PER_UNIT = 100;

/** How long a payment must stay valid after the agent's deadline, in seconds: to be verified and settled. */
const LEAST_MARGIN_SECONDS = 30;
/** How much longer than that the 402 asks for, in seconds: for the time until the payment arrives. */
const ASKED_MARGIN_SECONDS = 150;
/** Longer texts and schemas would not fit into a header beside the rest. */
const MOST_TEXT = 300;
const MOST_EXAMPLE_CHARACTERS = 1_000;
const MOST_SCHEMA_CHARACTERS = 1_500;

/** The receiver of payments, by the operator's settings. */
export interface PaymentTarget {
  network: string;
  asset: string;
  assetName: string;
  assetVersion: string;
  payTo: string;
}

/** What is known about an agent whose call is asked to be paid. */
export interface PricedAgent {
  terms: PriceTerms;
  timeoutMs: number;
  /** Null unless the agent takes jobs. */
  jobs: unknown;
  displayName: string;
  description: string;
  /** JSON text; null if it declares none. */
  inputSchema: string | null;
  examples: readonly { input: Record<string, unknown>; output?: unknown }[];
}

/** The resource of a 402 answer. `isWrapped`: its body is `{"input": …}`, not the input itself. */
export interface PaidResource {
  url: string;
  isWrapped: boolean;
}

/**
 * Whole credits that a caller pays for a call: the price, or the most that a metered call may cost, at most `ceiling`.
 * Null if the call cannot be paid so: it is free, or its agent takes jobs, which outlive an authorization.
 */
export function creditsToPay({ terms, jobs }: PricedAgent, ceiling: number | null): number | null {
  if (jobs !== null || terms.maxCredits === 0) return null;
  if (terms.model === 'per_call') return terms.maxCredits;
  return Math.max(1, Math.min(terms.maxCredits, ceiling ?? terms.maxCredits));
}

const timeoutSeconds = ({ timeoutMs }: Pick<PricedAgent, 'timeoutMs'>) => Math.ceil(timeoutMs / 1_000);

/** The terms that a payment is compared with. */
export function exactTerms(target: PaymentTarget, agent: PricedAgent, credits: number): ExactTerms {
  const { network, asset, payTo } = target;
  const leastSeconds = timeoutSeconds(agent) + LEAST_MARGIN_SECONDS;
  return { network, asset, payTo, amountMinor: credits * MINOR_PER_CREDIT, leastSeconds };
}

/** The object of the header `PAYMENT-REQUIRED`. */
export function callPaymentRequired(
  target: PaymentTarget,
  agent: PricedAgent,
  { credits, resource, reason }: { credits: number; resource: PaidResource; reason: string },
): Record<string, unknown> {
  return {
    x402Version: 2,
    error: reason,
    resource: describe(agent, resource),
    accepts: [requirementOf(target, agent, credits)],
    extensions: { bazaar: bazaarOf(agent, resource), 'payment-identifier': IDENTIFIER_EXTENSION },
  };
}

export function requirementOf(target: PaymentTarget, agent: PricedAgent, credits: number) {
  return {
    scheme: 'exact',
    network: target.network,
    amount: String(credits * MINOR_PER_CREDIT),
    asset: target.asset,
    payTo: target.payTo,
    maxTimeoutSeconds: timeoutSeconds(agent) + ASKED_MARGIN_SECONDS,
    extra: { name: target.assetName, version: target.assetVersion },
  };
}

/** The resource as indexes list it: a name of the service has at most 32 printable characters of ASCII. */
function describe({ displayName, description }: PricedAgent, { url }: PaidResource) {
  return {
    url,
    description: description.slice(0, MOST_TEXT),
    mimeType: 'application/json',
    ...(/^[\x20-\x7e]{1,32}$/.test(displayName) && { serviceName: displayName }),
  };
}

const IDENTIFIER_EXTENSION = {
  info: { required: false },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      required: { type: 'boolean' },
      id: { type: 'string', minLength: 16, maxLength: 128 },
    },
    required: ['required'],
  },
} as const;

/** The extension `bazaar`, by which indexes of paid services list the agent: how it is called, with an example. */
export function bazaarOf(agent: PricedAgent, { isWrapped }: PaidResource): Record<string, unknown> {
  const [example] = agent.examples;
  const input = smallOr({}, example?.input);
  const output = smallOr(undefined, example?.output);
  const schema = schemaOf(agent.inputSchema);
  const body = isWrapped
    ? { type: 'object', properties: { input: schema }, required: ['input'] }
    : { ...schema };
  return {
    info: {
      input: { type: 'http', method: 'POST', bodyType: 'json', body: isWrapped ? { input } : input },
      output: { type: 'json', ...(output !== undefined && { example: output }) },
    },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: {
            type: { type: 'string', const: 'http' },
            method: { type: 'string', enum: ['POST'] },
            bodyType: { type: 'string', enum: ['json'] },
            body,
          },
          required: ['type', 'method', 'bodyType', 'body'],
          additionalProperties: false,
        },
        output: { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] },
      },
      required: ['input'],
    },
  };
}

function smallOr<T>(otherwise: T, value: unknown): unknown {
  if (value === undefined) return otherwise;
  return JSON.stringify(value).length > MOST_EXAMPLE_CHARACTERS ? otherwise : value;
}

/**
 * A schema that may stand inside another one: a small one without references, whose places would change. Any object
 * otherwise.
 */
function schemaOf(text: string | null): Record<string, unknown> {
  const isSmall = text !== null && text.length <= MOST_SCHEMA_CHARACTERS && !/"\$/.test(text);
  return isSmall ? (JSON.parse(text) as Record<string, unknown>) : { type: 'object' };
}
