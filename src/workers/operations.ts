import { Worker } from '@temporalio/worker';
import type { Container } from '../container';
import { createInvocationWorker, workflowBundlePath, type WorkerDeps } from './invocation-workers';
import { keepRunning } from './keep-running';
import { startLoop } from './loops';
import { taskQueues } from './queues';
import { createTemporalLink } from './temporal-link';


export interface RunningOperations {
  stop(): Promise<void>;
}

/** Everything a worker process does. Any number of them may run. */
export function startOperations(container: Container): RunningOperations {
  const { config, logger, steps } = container;
  const link = createTemporalLink(config, logger);
  const deps = async (): Promise<WorkerDeps> => ({ config, connection: await link.connected() });
  const workers = [
    keepRunning('operations', async () => createOperationsWorker(await deps(), container), logger),
    keepRunning('invocations', async () => createInvocationWorker(await deps(), steps), logger),
  ];
  const loops = [
    startLoop('lease sweep', config.SWEEP_INTERVAL_MS, container.sweep, logger),
  ];
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.all(workers.map((worker) => worker.stop()));
      await link.close();
    },
  };
}

function createOperationsWorker({ config, connection }: WorkerDeps, _container: Container): Promise<Worker> {
  return Worker.create({
    connection,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: taskQueues(config.TASK_QUEUE_PREFIX).operations,
    workflowBundle: { codePath: workflowBundlePath(config) },
    activities: {},
    maxConcurrentActivityTaskExecutions: 100,
    shutdownGraceTime: '5s',
  });
}
