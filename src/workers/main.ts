/**
 * A worker process. It polls the queue `operations` (verification and everything else that needs no caller's socket)
 * and the queue `invocations`, and runs the background loops such as the lease sweep and the roll-up of hot balances.
 */
import { loadConfig } from '../config';
import { createContainer } from '../container';
import { createLogger } from '../logger';
import { proveMasterKeys } from '../services/operations/master-key-proof';
import { addWorkerFigures } from './metric-figures';
import { serveMetrics } from './metrics-server';
import { startOperations } from './operations';
import { stopOnSignals } from './shutdown';
import { exportTraces } from './tracing/trace-export';
import { exitUnstarted } from '../kit/start-refusal';

async function main(): Promise<void> {
  const config = loadConfig();
  const logger = createLogger('worker', config.LOG_LEVEL);
  const container = createContainer(config, logger);
  await proveMasterKeys({ db: container.pool, cipher: container.cipher });
  const traces = await exportTraces(config, 'worker', logger);
  const operations = startOperations(container);
  addWorkerFigures(container, operations.loops);
  const metrics = await serveMetrics(container);
  stopOnSignals(logger, config.DRAIN_MS, async () => {
    await operations.stop();
    await metrics.close();
    await container.close();
    await traces.close();
  });
}

main().catch(exitUnstarted);
