/** Sends the spans of this process to an OTLP receiver. The packages are loaded only when an endpoint is set. */
import type { Context } from '@opentelemetry/api';
import type { Config } from '../../config';
import { setSpanSink } from '../../kit/tracing';
import type { Logger } from '../../logger';
import { createTracer } from './tracer';
import { withTimeout } from '../../kit/with-timeout';

export interface TraceExport {
  /** Sends what is left, for at most three seconds. */
  close(): Promise<void>;
}

const CLOSE_MS = 3_000;
const NOTHING: TraceExport = { close: () => Promise.resolve() };
const SHARES = 0x100000000;

/**
 * Begins to export spans over HTTP to `<OTEL_EXPORTER_OTLP_ENDPOINT>/v1/traces`, in batches. Without an endpoint it
 * does nothing. The exporter reads OTEL_EXPORTER_OTLP_HEADERS itself. A receiver that is away costs spans, never a
 * call.
 */
export async function exportTraces(
  config: Pick<Config, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_TRACES_SAMPLER_ARG'>,
  service: string,
  logger: Logger,
): Promise<TraceExport> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/$/, '');
  if (endpoint === '') return NOTHING;
  const { startSpan, shutdown, rootOf } = await createTracer(`${endpoint}/v1/traces`, service);
  const share = config.OTEL_TRACES_SAMPLER_ARG;
  const isSampled = (traceId: string) => Number.parseInt(traceId.slice(-8), 16) < share * SHARES;
  setSpanSink((span) => {
    if (!isSampled(span.traceId)) return;
    const context: Context | undefined = span.parentSpanId
      ? rootOf(span.traceId, span.parentSpanId)
      : undefined;
    startSpan(span, context);
  });
  logger.info({ endpoint, share }, 'traces are exported');
  return {
    async close() {
      setSpanSink(undefined);
      await withTimeout(
        CLOSE_MS,
        shutdown().catch(() => undefined),
        () => undefined,
      );
    },
  };
}
