import { Pool, type PoolConfig } from 'pg';

/**
 * A pool of a test. `Pool.end` resolves before its connections have closed, so dropping the database or stopping Postgres
 * afterwards may still end one of them. Without a listener that error would fail whichever test file runs next.
 */
export function testPool(connectionString: string | undefined, options: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString, ...options });
  pool.on('error', () => undefined);
  return pool;
}
