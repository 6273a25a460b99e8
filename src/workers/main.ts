/**
 * A worker process: the queue `operations` (verification and what else needs no caller's socket), a second worker of
 * `invocations`, and the loops that must run whatever happens: lease sweep, roll-up of hot balances.
 */
import { loadConfig } from '../config';
import { createContainer } from '../container';
import { createLogger } from '../logger';
import { startOperations } from './operations';
import { stopOnSignals } from './shutdown';

function main(): void {
  const config = loadConfig();
  const logger = createLogger('worker', config.LOG_LEVEL);
  const container = createContainer(config, logger);
  const operations = startOperations(container);
  stopOnSignals(logger, async () => {
    await operations.stop();
    await container.close();
  });
}

main();
