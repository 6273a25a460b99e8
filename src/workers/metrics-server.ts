import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../config';
import type { Metrics } from '../kit/metrics';
import type { Logger } from '../logger';
import { readSdkMetrics } from './sdk-metrics';

const MOST_CONNECTIONS = 16;
const REQUEST_MS = 10_000;

export interface MetricsServer {
  /** Undefined when metrics are not served. */
  url: string | undefined;
  close(): Promise<void>;
}

export interface MetricsServerDeps {
  config: Pick<Config, 'METRICS_HOST' | 'METRICS_PORT'>;
  metrics: Metrics;
  logger: Logger;
}

/**
 * Serves `GET /metrics` on a separate port, for the operators of the service: the service's metrics, then those of the
 * Temporal SDK. Without METRICS_PORT it serves nothing.
 * If the port is taken, it logs a warning and the process continues without metrics.
 */
export async function serveMetrics({ config, metrics, logger }: MetricsServerDeps): Promise<MetricsServer> {
  const { METRICS_HOST: host, METRICS_PORT: port } = config;
  if (port === 0) return { url: undefined, close: () => Promise.resolve() };
  metrics.addProcessFigures();
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (req, res) => {
    if (req.method !== 'GET' || req.url !== '/metrics') return void res.writeHead(404).end();
    answer(res, metrics).catch((error: unknown) => {
      logger.warn({ err: error }, 'could not serve metrics');
      res.destroy();
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', (error) => {
      logger.warn({ err: error, host, port }, 'metrics are not served');
      resolve(false);
    });
    server.listen(port, host, () => resolve(true));
  });
  if (!isListening) return { url: undefined, close: () => Promise.resolve() };
  const url = `http://${host}:${(server.address() as AddressInfo).port}/metrics`;
  logger.info({ url }, 'metrics are served');
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(res: ServerResponse, metrics: Metrics): Promise<void> {
  const texts = await Promise.all([metrics.text(), readSdkMetrics()]);
  res
    .writeHead(200, { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' })
    .end(texts.join('\n'));
}
