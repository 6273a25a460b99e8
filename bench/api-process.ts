/**
 * An API process as `src/api/main.ts` makes it, with the workflow type of BENCH_WORKFLOW_TYPE, and, where
 * BENCH_STOCK_WORKER says so, with the SDK's own worker; its starts are counted.
 */
import { writeFileSync } from 'node:fs';
import { Worker } from '@temporalio/worker';
import { startApi } from '../src/api/server';
import { loadConfig } from '../src/config';
import { createContainer } from '../src/container';
import { createLogger } from '../src/logger';
import { startInvocationEngine } from '../src/workers/engine-parts';
import { stopOnSignals } from '../src/workers/shutdown';

async function main(): Promise<void> {
  const config = loadConfig();
  const logger = createLogger('bench-api', config.LOG_LEVEL);
  const container = createContainer(config, logger);
  const workflowType = process.env['BENCH_WORKFLOW_TYPE'];
  const engine = startInvocationEngine(container, {
    ...(workflowType ? { workflowType } : {}),
    ...(process.env['BENCH_STOCK_WORKER'] === 'true' ? { worker: Worker } : {}),
  });
  const api = await startApi(container, engine);
  stopOnSignals(logger, async () => {
    writeFileSync(process.env['BENCH_STARTS_FILE'] ?? '/dev/null', JSON.stringify(engine.starts()));
    await api.stop();
    await engine.stop();
    await container.close();
  });
}

void main();
