/** Spans of calls that the engine records (ADR 0096). Without a sink they do nothing. */
import type { GroupMember } from '../../domain/calls/call-group';
import { beginSpan, currentSpanId, spanIdOf, spanSink } from '../../kit/tracing';
import type { InFlightCall } from '../calls/agent/in-flight';

/** Records the call as a span below its request, when it ends. Its steps are spans below it, in whatever process. */
export function recordCall({ invocationId, traceId, version, done }: InFlightCall): void {
  const record = spanSink();
  if (!record) return;
  const parentSpanId = currentSpanId();
  const startMs = Date.now();
  const startedAt = performance.now();
  const end = (failure?: string) =>
    record({
      traceId,
      spanId: spanIdOf(invocationId),
      parentSpanId,
      name: 'call',
      kind: 'internal',
      startMs,
      durationMs: performance.now() - startedAt,
      attributes: { 'market.invocation_id': invocationId, 'market.agent_id': version.agentId },
      failure,
    });
  void done.then((result) => end(result.ok ? undefined : result.code));
}

/** Begins the span of the start of a call's workflow. */
export function beginStart({ invocationId, traceId }: GroupMember): ((failure?: string) => void) | undefined {
  if (!spanSink() || !traceId) return undefined;
  const attributes = { temporalWorkflowID: `invocation/${invocationId}` };
  return beginSpan({ traceId, parent: invocationId, name: 'start workflow', kind: 'client', attributes });
}
