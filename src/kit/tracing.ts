/**
 * Spans of this process (ADR 0096). Nothing is recorded, and nothing is computed for spans, until an entry point sets a
 * sink. The id of a span follows from what it is about, so that another process can name it as a parent: trace ids
 * are in rows, headers and inputs of workflows already.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';

export interface SpanRecord {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: 'server' | 'client' | 'internal';
  /** Since 1970. */
  startMs: number;
  durationMs: number;
  /** From fixed vocabularies, and ids: never inputs, outputs, endpoints or texts of users. */
  attributes: Record<string, string | number | boolean>;
  /** Set when the work failed: the error code. */
  failure?: string | undefined;
}

type Attributes = SpanRecord['attributes'];

export type SpanSink = (span: SpanRecord) => void;

let sink: SpanSink | undefined;
const current = new AsyncLocalStorage<{ spanId: string; attributes: Attributes }>();

/** Records spans of this process from now on; undefined ends that. */
export function setSpanSink(next: SpanSink | undefined): void {
  sink = next;
}

/** Undefined while no spans are recorded: callers then do no work for them. */
export function spanSink(): SpanSink | undefined {
  return sink;
}

/** The id of the span about `subject`, such as a call's id: 16 hexadecimal digits. */
export function spanIdOf(subject: string): string {
  return hexOf(subject, 16);
}

/** A trace id for work that has none, such as a workflow of payouts: 32 hexadecimal digits. */
export function traceIdOfSubject(subject: string): string {
  return hexOf(subject, 32);
}

/** Runs `work` inside a span, which `currentSpanId` then names. `describeSpan` adds to `attributes`. */
export function insideSpan<T>(spanId: string, work: () => T, attributes: Attributes = {}): T {
  return current.run({ spanId, attributes }, work);
}

/** Adds attributes to the span that this work runs in; nothing outside of spans. */
export function describeSpan(attributes: Attributes): void {
  const span = current.getStore();
  if (span) Object.assign(span.attributes, attributes);
}

/** The span that this work runs in; undefined outside of spans. */
export function currentSpanId(): string | undefined {
  return current.getStore()?.spanId;
}

/** What a traced step belongs to. */
export interface SpanSubject {
  traceId: string;
  /** The id that the parent's span id follows from. */
  parent: string;
  /** Attributes of the step that calls the agent. */
  ofForward?: Attributes;
}

type Step = (subject: never, ...rest: never[]) => Promise<unknown>;

/**
 * Wraps steps so that each is recorded as a span `<name>` below its subject. `subjectOf` finds the subject by the
 * step's first argument; without one, nothing is recorded. `spanIdOf('<parent>/<name>')` is the id of the span.
 */
export function traceSteps<Steps extends Record<string, Step>>(
  steps: Steps,
  subjectOf: (argument: unknown) => SpanSubject | undefined,
): Steps {
  return Object.fromEntries(
    Object.entries(steps).map(([name, step]) => [name, traced(name, step as Untyped, subjectOf)]),
  ) as unknown as Steps;
}

type Untyped = (...args: unknown[]) => Promise<unknown>;

function traced(
  name: string,
  step: Untyped,
  subjectOf: (argument: unknown) => SpanSubject | undefined,
): Untyped {
  return async (...args) => {
    const record = sink;
    const subject = record && subjectOf(args[0]);
    if (!subject) return step(...args);
    const { ofForward = {}, ...below } = subject;
    const told =
      name === 'forward'
        ? { kind: 'client' as const, attributes: ofForward }
        : { kind: 'internal' as const, attributes: {} };
    const end = beginSpan({ ...below, name, ...told });
    try {
      const result = await step(...args);
      end(codeOf(result));
      return result;
    } catch (error) {
      end(error instanceof Error ? error.name : 'error');
      throw error;
    }
  };
}

function codeOf(result: unknown): string | undefined {
  const code = typeof result === 'object' && result !== null && 'code' in result ? result.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Begins a span `<name>` below a subject. Returns the function that ends it, with the failure if there was one. */
export function beginSpan({
  traceId,
  parent,
  ...rest
}: SpanSubject & Pick<SpanRecord, 'name' | 'kind' | 'attributes'>): (failure?: string) => void {
  const startMs = Date.now();
  const startedAt = performance.now();
  return (failure) =>
    sink?.({
      ...rest,
      traceId,
      spanId: spanIdOf(`${parent}/${rest.name}`),
      parentSpanId: spanIdOf(parent),
      startMs,
      durationMs: performance.now() - startedAt,
      failure,
    });
}

const hexOf = (subject: string, digits: number) =>
  createHash('sha256').update(subject).digest('hex').slice(0, digits);

/** What spans say of an agent. The name is the slug, because spans have no texts that people write. */
interface TracedAgent {
  agentId: string;
  slug: string;
  version: string;
  kind: string;
}

/**
 * A call in the words of OpenTelemetry's conventions for generative AI, which are in development
 * (https://github.com/open-telemetry/semantic-conventions-genai).
 */
export function invocationAttributes({ agentId, slug, version }: TracedAgent): Attributes {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.id': agentId,
    'gen_ai.agent.name': slug,
    'gen_ai.agent.version': version,
  };
}

/** The request to the agent: to a tool of an MCP server, or to the agent itself. */
export function forwardAttributes(agent: TracedAgent): Attributes {
  if (agent.kind !== 'mcp') return invocationAttributes(agent);
  const ofTool = { 'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool' };
  return { ...ofTool, 'gen_ai.agent.id': agent.agentId };
}
