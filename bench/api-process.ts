/**
 * Starts an API process like `src/api/main.ts`, with the workflow type of BENCH_WORKFLOW_TYPE and, if
 * BENCH_STOCK_WORKER is set, with the SDK's own worker. BENCH_LAUNCHER drives calls with another engine, or none.
 * Counts its workflow starts.
 */
import { Worker } from '@temporalio/worker';
import { startApi } from '../src/api/server';
import { loadConfig } from '../src/config';
import { createContainer } from '../src/container';
import { createLogger } from '../src/logger';
import { writePrivate } from '../src/runtime/processes/private-file';
import { startInvocationEngine } from '../src/workers/engine-parts';
import { stopOnSignals } from '../src/workers/shutdown';
import { peerLauncher } from './peers/launchers';

const STARTS_EVERY_MS = 250;

async function main(): Promise<void> {
  const config = loadConfig();
  const logger = createLogger('bench-api', config.LOG_LEVEL);
  const container = createContainer(config, logger);
  const workflowType = process.env['BENCH_WORKFLOW_TYPE'];
  const peer = process.env['BENCH_LAUNCHER'];
  const engine = startInvocationEngine(container, {
    ...(workflowType ? { workflowType } : {}),
    ...(peer ? { launcher: await peerLauncher(peer, container) } : {}),
    ...(process.env['BENCH_STOCK_WORKER'] === 'true' ? { worker: Worker } : {}),
  });
  const api = await startApi(container, engine);
  const startsFile = process.env['BENCH_STARTS_FILE'];
  // The bench reads the file meanwhile, so it is replaced as a whole.
  const writeStarts = () => startsFile !== undefined && writePrivate(startsFile, engine.starts());
  writeStarts();
  setInterval(writeStarts, STARTS_EVERY_MS).unref();
  stopOnSignals(logger, config.DRAIN_MS, async () => {
    writeStarts();
    await api.stop();
    await engine.stop();
    await container.close();
  });
}

void main();
