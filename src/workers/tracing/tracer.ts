/** OpenTelemetry's SDK, with span ids that the service chooses. Its packages are loaded when a tracer is created. */
import type { Context } from '@opentelemetry/api';
import type { SpanRecord } from '../../kit/tracing';

const QUEUE = 4_096;

export async function createTracer(url: string, service: string) {
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } = await import('@opentelemetry/api');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const { BasicTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-base');
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };
  // The SDK asks for ids while a span starts; the span being started has chosen them.
  let ids: Pick<SpanRecord, 'traceId' | 'spanId'> = { traceId: '', spanId: '' };
  const exporter = new OTLPTraceExporter({ url });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.namespace': 'agent-marketplace' }),
    idGenerator: { generateTraceId: () => ids.traceId, generateSpanId: () => ids.spanId },
    spanProcessors: [new BatchSpanProcessor(exporter, { maxQueueSize: QUEUE, scheduledDelayMillis: 1_000 })],
  });
  const tracer = provider.getTracer('agent-marketplace');
  return {
    rootOf: (traceId: string, spanId: string): Context =>
      trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true }),
    startSpan(record: SpanRecord, context: Context = ROOT_CONTEXT): void {
      ids = record;
      const { name, kind, attributes, startMs, durationMs, failure } = record;
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes, startTime: startMs }, context);
      if (failure !== undefined) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
        span.setAttribute('error.type', failure);
      }
      span.end(startMs + durationMs);
    },
    shutdown: () => provider.shutdown(),
  };
}
