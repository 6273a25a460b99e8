/**
 * Process metrics in Prometheus text format. Labels have few values, all from fixed vocabularies: never an id, an
 * address, an account, an agent or untrusted text.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CallEnd } from '../domain/calls/call-end';
import type { ErrorCode } from '../domain/errors';

const CALL_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const OVERHEAD_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];
const JOB_SECONDS = [1, 10, 60, 300, 900, 3_600, 14_400, 86_400, 259_200, 604_800];
const START_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5];
const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30];

export interface RequestEnd {
  method: string;
  /** The operation's path pattern, or `unmatched`. */
  route: string;
  status: number;
  seconds: number;
}

/** One value of a metric. A metric without labels has a single value. */
export interface Reading {
  labels?: Record<string, string>;
  value: number;
}

/** A metric whose value is read at scrape time. It is absent from a scrape in which reading fails. */
export interface ReadFigure {
  kind: 'gauge' | 'counter';
  name: string;
  help: string;
  labelNames?: string[];
  read(): Reading[] | Promise<Reading[]>;
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  return {
    ...callCounters(registry),
    ...requestCounters(registry),
    ...workCounters(registry),
    read: (figure: ReadFigure) => addReadFigure(registry, figure),
    /** Starts collecting memory, processor time, garbage collection and event loop lag. */
    addProcessFigures: () => collectDefaultMetrics({ register: registry }),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

function callCounters(registry: Registry) {
  const registers = [registry];
  const calls = new Counter({
    name: 'market_calls_total',
    help: 'Agent calls by outcome for the caller; code is the error of an unsuccessful call',
    labelNames: ['surface', 'outcome', 'code'],
    registers,
  });
  const duration = new Histogram({
    name: 'market_call_duration_seconds',
    help: 'Duration of executed calls, including the agent; without jobs',
    labelNames: ['surface'],
    buckets: CALL_SECONDS,
    registers,
  });
  const jobs = new Histogram({
    name: 'market_job_duration_seconds',
    help: 'Duration of jobs that succeeded, from the acceptance of the call to the answer of the agent',
    buckets: JOB_SECONDS,
    registers,
  });
  const overhead = new Histogram({
    name: 'market_call_overhead_seconds',
    help: 'Duration of successful calls, excluding the agent',
    buckets: OVERHEAD_SECONDS,
    registers,
  });
  const start = new Histogram({
    name: 'market_engine_start_duration_seconds',
    help: 'Time until the workflow engine confirmed the start of a call, or failed to',
    labelNames: ['result'],
    buckets: START_SECONDS,
    registers,
  });
  return {
    callEnded({ surface, outcome, code, seconds, agentSeconds, isJob }: CallEnd): void {
      calls.inc({ surface, outcome, code: code ?? 'none' });
      if (isJob && outcome === 'succeeded') jobs.observe(seconds);
      if (isJob) return;
      if (outcome !== 'succeeded' && outcome !== 'failed') return;
      duration.observe({ surface }, seconds);
      if (agentSeconds !== null) overhead.observe(Math.max(0, seconds - agentSeconds));
    },
    engineStarted: (result: 'confirmed' | 'failed', seconds: number): void =>
      start.observe({ result }, seconds),
  };
}

function requestCounters(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: 'market_http_requests_total',
    help: 'Requests by operation and status',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'market_http_request_duration_seconds',
    help: 'Duration of requests until the response was sent',
    labelNames: ['route'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const errors = new Counter({
    name: 'market_http_errors_total',
    help: 'Requests that failed, by error code',
    labelNames: ['code'],
    registers,
  });
  return {
    requestEnded({ method, route, status, seconds }: RequestEnd): void {
      requests.inc({ method, route, status });
      duration.observe({ route }, seconds);
    },
    requestFailed: (code: ErrorCode): void => errors.inc({ code }),
  };
}

function workCounters(registry: Registry) {
  const registers = [registry];
  const swept = new Counter({
    name: 'market_lease_sweep_calls_total',
    help: 'Calls that the lease sweep ended because their process had stopped renewing the lease',
    registers,
  });
  const attempts = new Counter({
    name: 'market_delivery_attempts_total',
    help: 'Delivery attempts of webhooks and push notifications, by result',
    labelNames: ['result'],
    registers,
  });
  return {
    callsSwept: (calls: number): void => swept.inc(calls),
    deliveryAttempted: (result: string): void => attempts.inc({ result }),
  };
}

function addReadFigure(registry: Registry, { kind, read, labelNames = [], name, help }: ReadFigure): void {
  const options = { name, help, labelNames, registers: [registry] };
  const collect = async function (this: Gauge | Counter): Promise<void> {
    const readings = await Promise.resolve()
      .then(read)
      .catch(() => undefined);
    this.reset();
    // A metric without labels reports 0 until it is removed.
    if (readings === undefined && labelNames.length === 0) this.remove();
    for (const { labels = {}, value } of readings ?? []) this.inc(labels, value);
  };
  if (kind === 'gauge') new Gauge({ ...options, collect });
  else new Counter({ ...options, collect });
}
