/** An API process: Express, and the workers of the queue `invocations` and of this process's own queue. */
import { loadConfig } from '../config';
import { createContainer } from '../container';
import { lowerCollectorThreads } from '../kit/threads/thread-priority';
import { createLogger } from '../logger';
import { connectAll } from '../stores/db';
import { proveMasterKeys } from '../services/operations/master-key-proof';
import { startInvocationEngine } from '../workers/engine-parts';
import { addApiFigures } from '../workers/metric-figures';
import { serveMetrics } from '../workers/metrics-server';
import { exportTraces } from '../workers/tracing/trace-export';
import { stopOnSignals } from '../workers/shutdown';
import { startApi } from './server';
import { exitUnstarted } from '../kit/start-refusal';

async function main(): Promise<void> {
  lowerCollectorThreads();
  const config = loadConfig();
  const logger = createLogger('api', config.LOG_LEVEL);
  const container = createContainer(config, logger);
  await connectAll(container.pool);
  await proveMasterKeys({ db: container.pool, cipher: container.cipher });
  const traces = await exportTraces(config, 'api', logger);
  const engine = startInvocationEngine(container);
  addApiFigures(container, engine);
  const metrics = await serveMetrics(container);
  const api = await startApi(container, engine);
  stopOnSignals(logger, config.DRAIN_MS, async () => {
    api.drain();
    await engine.drain(config.DRAIN_MS);
    await api.stop();
    await engine.stop();
    await metrics.close();
    await container.close();
    await traces.close();
  });
}

main().catch(exitUnstarted);
