import { Pool, type PoolConfig } from 'pg';
import { ExactClient, resultTypes } from '../../../src/stores/stored-time';

/**
 * A pool of a test, whose times keep their microseconds as those of the service do. `Pool.end` resolves before its
 * connections have closed, so dropping the database or stopping Postgres afterwards may still end one of them. Without
 * a listener that error would fail whichever test file runs next.
 */
export function testPool(connectionString: string | undefined, options: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString, Client: ExactClient, types: resultTypes, ...options });
  pool.on('error', () => undefined);
  return pool;
}
