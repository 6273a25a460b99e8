import { readFileSync } from 'node:fs';
import { Client, type TLSConfig } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import {
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  type TelemetryOptions,
} from '@temporalio/worker';
import type { Config } from '../config';
import type { TEMPORAL } from '../config-operations';
import { ensureSearchAttributes, missingSearchAttributes } from '../engine/search-attributes';
import type { Logger } from '../logger';
import { withSdkMetrics } from './sdk-metrics';

const RETRY_MS = 1_000;
/** temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW */
const WORKFLOW_TASKS = 1;
const CHECK_DEADLINE_MS = 1_000;
/**
 * A worker polls at least once a minute. The server lists the pollers of the last five minutes, also when they are
 * frozen.
 */
const POLLED_WITHIN_SECONDS = 120;

/**
 * This process's connection to Temporal. Workers and client share it, which makes eager starts possible. The service
 * must run without the engine, so connecting is retried in the background until it succeeds.
 */
export interface TemporalLink {
  /** Undefined until the first connection. */
  client(): Client | undefined;
  /** Resolves with the connection once it is established. Rejects if the link is closed before that. */
  connected(): Promise<NativeConnection>;
  /** True when the server answers within a second and has our search attributes. */
  check(): Promise<boolean>;
  /** True when some process polls the workflow tasks of the queue: a poll began in the last two minutes. */
  isPolled(taskQueue: string): Promise<boolean>;
  /**
   * Seconds since this process has seen a new poll for workflow tasks of the queue, or since it asked first. Undefined
   * when the server does not answer within a second.
   */
  pollAge(taskQueue: string): Promise<number | undefined>;
  /** Stops trying to connect. `connected` rejects if there is no connection yet. */
  giveUp(): void;
  close(): Promise<void>;
}

type LinkConfig = Pick<Config, keyof typeof TEMPORAL | 'LOG_LEVEL' | 'METRICS_PORT'>;

export function createTemporalLink(config: LinkConfig, logger: Logger): TemporalLink {
  let connection: NativeConnection | undefined;
  let client: Client | undefined;
  let closed = false;

  async function connect(): Promise<NativeConnection> {
    await installRuntime(logger, config.METRICS_PORT !== 0);
    for (;;) {
      if (closed) throw new Error('the link was closed before Temporal was reached');
      try {
        connection = await connectOnce(config);
        client = new Client({ connection, namespace: config.TEMPORAL_NAMESPACE });
        logger.info({ address: config.TEMPORAL_ADDRESS }, 'connected to Temporal');
        return connection;
      } catch (error) {
        logger.warn({ err: error }, 'Temporal is not reachable; retrying');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  const connecting = connect();
  connecting.catch(() => {});

  async function ask<T>(question: (connected: NativeConnection) => Promise<T>): Promise<T | undefined> {
    const current = connection;
    if (!current) return undefined;
    try {
      return await current.withDeadline(Date.now() + CHECK_DEADLINE_MS, () => question(current));
    } catch {
      return undefined;
    }
  }

  const ageOf = pollAges();
  async function polls(taskQueue: string): Promise<{ count: number; age: number } | undefined> {
    const answer = await ask((connected) =>
      connected.workflowService.describeTaskQueue({
        namespace: config.TEMPORAL_NAMESPACE,
        taskQueue: { name: taskQueue },
        taskQueueType: WORKFLOW_TASKS,
      }),
    );
    if (!answer) return undefined;
    const times = (answer.pollers ?? []).map(({ lastAccessTime }) => optionalTsToMs(lastAccessTime) ?? 0);
    return { count: times.length, age: ageOf(taskQueue, times) };
  }

  return {
    client: () => client,
    connected: () => connecting,
    async check() {
      const namespace = config.TEMPORAL_NAMESPACE;
      const missing = await ask((connected) => missingSearchAttributes(connected, namespace));
      return missing?.length === 0;
    },
    async isPolled(taskQueue) {
      const found = await polls(taskQueue);
      return found !== undefined && found.count > 0 && found.age < POLLED_WITHIN_SECONDS;
    },
    pollAge: async (taskQueue) => (await polls(taskQueue))?.age,
    giveUp() {
      closed = true;
    },
    async close() {
      closed = true;
      await connection?.close();
    },
  };
}

/** Ages of the newest poll by queue. Times of the server are compared with each other only: its clock may differ. */
export function pollAges(
  now = () => performance.now(),
): (taskQueue: string, timesMs: readonly number[]) => number {
  const newest = new Map<string, { timeMs: number; seenMs: number }>();
  return (taskQueue, timesMs) => {
    const timeMs = Math.max(0, ...timesMs);
    let last = newest.get(taskQueue);
    if (!last || timeMs > last.timeMs) newest.set(taskQueue, (last = { timeMs, seenMs: now() }));
    return (now() - last.seenMs) / 1_000;
  };
}

async function connectOnce(config: LinkConfig): Promise<NativeConnection> {
  const fresh = await NativeConnection.connect({
    address: config.TEMPORAL_ADDRESS,
    ...(config.TEMPORAL_TLS ? { tls: tlsOf(config) } : {}),
    ...(config.TEMPORAL_API_KEY ? { apiKey: config.TEMPORAL_API_KEY } : {}),
    // On loopback and within a data centre, gzip costs more than it saves.
    grpcCompression: { codec: 'none' },
  });
  await ensureSearchAttributes(fresh, config.TEMPORAL_NAMESPACE);
  return fresh;
}

/** Reads the files at each attempt to connect, so that replaced certificates count without a restart. */
function tlsOf(config: LinkConfig): TLSConfig {
  const { TEMPORAL_TLS_CERT_FILE: certificate, TEMPORAL_TLS_KEY_FILE: key } = config;
  if ((certificate === '') !== (key === ''))
    throw new Error('set both or neither of TEMPORAL_TLS_CERT_FILE and TEMPORAL_TLS_KEY_FILE');
  const authority = config.TEMPORAL_TLS_CA_FILE;
  return {
    ...(authority ? { serverRootCACertificate: readFileSync(authority) } : {}),
    ...(config.TEMPORAL_TLS_SERVER_NAME ? { serverNameOverride: config.TEMPORAL_TLS_SERVER_NAME } : {}),
    ...(certificate ? { clientCertPair: { crt: readFileSync(certificate), key: readFileSync(key) } } : {}),
  };
}

let installed: Promise<void> | undefined;
/** The SDK's warning about workflow tasks longer than 5 s. Every call of a slow agent is one, by design. */
const LONG_TASK = 'TMPRL1104';

/** Installs the SDK's runtime once per process, with its metrics if the process serves metrics. */
function installRuntime(logger: Logger, hasMetrics: boolean): Promise<void> {
  const log = logger.child({ component: 'temporal' });
  installed ??= hasMetrics
    ? withSdkMetrics((metrics) => install(log, metrics)).catch((error: unknown) => {
        log.warn({ err: error }, "the Temporal SDK's metrics are not served");
        install(log, undefined);
      })
    : Promise.resolve(install(log, undefined));
  return installed;
}

/** Forwards the SDK's log lines to our logger. The entry points handle signals, so the SDK must not. */
function install(log: Logger, metrics: TelemetryOptions['metrics']): void {
  Runtime.install({
    shutdownSignals: [],
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
      ...(metrics ? { metrics } : {}),
    },
    logger: {
      log: (level, message, meta) => write(log, level.toLowerCase(), message, meta),
      trace: (message, meta) => write(log, 'trace', message, meta),
      debug: (message, meta) => write(log, 'debug', message, meta),
      info: (message, meta) => write(log, 'debug', message, meta),
      warn: (message, meta) => write(log, 'warn', message, meta),
      error: (message, meta) => write(log, 'error', message, meta),
    },
  });
}

function write(log: Logger, level: string, message: string, meta?: Record<string, unknown>): void {
  const workflowId = meta?.['workflowId'];
  const error = meta?.['error'];
  const fields = { ...(workflowId ? { workflowId } : {}), ...(error ? { err: error } : {}) };
  if (level === 'error') log.error(fields, message);
  else if (level === 'warn' && !message.includes(LONG_TASK)) log.warn(fields, message);
  else log.debug(fields, message);
}
