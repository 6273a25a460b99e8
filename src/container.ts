import type { Config } from './config';
import type { Logger } from './logger';
import { createPool } from './stores/db';

/**
 * The one place that wires things. Services are `create…Service(deps)` functions with explicit dependencies; entry
 * points and tests call this, nobody else imports it.
 */
export function createContainer(config: Config, logger: Logger) {
  const pool = createPool({
    connectionString: config.DATABASE_URL,
    max: config.DATABASE_POOL_SIZE,
    applicationName: 'market',
    onError: (error) => logger.warn({ err: error }, 'idle database connection failed'),
  });
  return {
    config,
    logger,
    pool,
    async close(): Promise<void> {
      await pool.end();
    },
  };
}

export type Container = ReturnType<typeof createContainer>;
