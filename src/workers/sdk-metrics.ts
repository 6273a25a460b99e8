/** Metrics of the Temporal SDK, which it serves on a loopback port of its own. The metrics server passes them on. */
import { get } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { TelemetryOptions } from '@temporalio/worker';

const ATTEMPTS = 3;
const READ_MS = 2_000;

let port: number | undefined;

/**
 * Calls `install` with the options that make the SDK serve its metrics, with another port while the port is taken, and
 * at last without metrics. Durations are in seconds.
 */
export async function withSdkMetrics(
  install: (metrics: NonNullable<TelemetryOptions['metrics']> | undefined) => void,
): Promise<void> {
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const free = await freePort();
    try {
      install({
        prometheus: {
          bindAddress: `127.0.0.1:${free}`,
          countersTotalSuffix: true,
          unitSuffix: true,
          useSecondsForDurations: true,
        },
      });
      port = free;
      return;
    } catch (error) {
      if (left === 1) throw error;
    }
  }
}

/** The SDK's metrics in Prometheus text format; empty when it serves none, or does not answer in two seconds. */
export function readSdkMetrics(): Promise<string> {
  if (port === undefined) return Promise.resolve('');
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/metrics', timeout: READ_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      response.once('error', () => resolve(''));
    });
    request.once('timeout', () => request.destroy(new Error('the SDK did not answer')));
    request.once('error', () => resolve(''));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port: free } = server.address() as AddressInfo;
      server.close(() => resolve(free));
    });
  });
}
