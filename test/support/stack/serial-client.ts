import { Client } from 'pg';
import { createSerialQueue } from '../../../src/kit/concurrency/serial-queue';

type AnyQuery = (...args: unknown[]) => Promise<unknown>;

/**
 * A connection whose queries run one after the other, in the order in which they are made. Tests of one market share
 * its connection as owner and call their helpers at the same time, which pg 9 no longer queues by itself.
 */
export function serialClient(connectionString: string): Client {
  const client = new Client({ connectionString });
  const query = client.query.bind(client) as AnyQuery;
  const queue = createSerialQueue();
  const inOrder: AnyQuery = (...args) => queue.run(() => query(...args));
  return Object.assign(client, { query: inOrder });
}
