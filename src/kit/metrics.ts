/**
 * What a process counts of its work, in the text format of Prometheus. Labels have few values and all of them are words
 * of ours: never an id, an address, an account, an agent or anything that a stranger wrote.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CallEnd } from '../domain/calls/call-end';
import type { ErrorCode } from '../domain/errors';

const CALL_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const OVERHEAD_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];
const START_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5];
const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30];

export interface RequestEnd {
  method: string;
  /** The operation's path pattern, or `unmatched`. */
  route: string;
  status: number;
  seconds: number;
}

/** One value of a figure; without labels, the figure has one value. */
export interface Reading {
  labels?: Record<string, string>;
  value: number;
}

/** A figure that is read when somebody asks. One that cannot be read then is absent. */
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
    /** Memory, processor time, garbage collection and the lag of the event loop; from now on. */
    addProcessFigures: () => collectDefaultMetrics({ register: registry }),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

function callCounters(registry: Registry) {
  const registers = [registry];
  const calls = new Counter({
    name: 'market_calls_total',
    help: 'Calls of agents by how they ended for the caller; code says why one did not succeed',
    labelNames: ['surface', 'outcome', 'code'],
    registers,
  });
  const duration = new Histogram({
    name: 'market_call_duration_seconds',
    help: 'Time of calls that ran, the agent included',
    labelNames: ['surface'],
    buckets: CALL_SECONDS,
    registers,
  });
  const overhead = new Histogram({
    name: 'market_call_overhead_seconds',
    help: 'Time of successful calls without the agent',
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
    callEnded({ surface, outcome, code, seconds, agentSeconds }: CallEnd): void {
      calls.inc({ surface, outcome, code: code ?? 'none' });
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
    help: 'Time of requests until their connection had the answer',
    labelNames: ['route'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const errors = new Counter({
    name: 'market_http_errors_total',
    help: 'Requests that were answered with an error, by code',
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
    help: 'Calls that the lease sweep ended because nobody drove them',
    registers,
  });
  const attempts = new Counter({
    name: 'market_delivery_attempts_total',
    help: 'Attempts to deliver webhooks and push notifications, by what came of them',
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
    // Without labels a figure is 0 until it is said to be gone.
    if (readings === undefined && labelNames.length === 0) this.remove();
    for (const { labels = {}, value } of readings ?? []) this.inc(labels, value);
  };
  if (kind === 'gauge') new Gauge({ ...options, collect });
  else new Counter({ ...options, collect });
}
