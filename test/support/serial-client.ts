import { Client } from 'pg';

type AnyQuery = (...args: unknown[]) => Promise<unknown>;

/**
 * A connection whose queries run one after the other, in the order in which they are made. Tests of one market share its
 * connection as owner and call their helpers at the same time, which pg 9 no longer queues by itself.
 */
export function serialClient(connectionString: string): Client {
  const client = new Client({ connectionString });
  const query = client.query.bind(client) as AnyQuery;
  let last: Promise<unknown> = Promise.resolve();
  const inOrder: AnyQuery = (...args) => {
    const next = last.then(() => query(...args));
    last = next.catch(() => undefined);
    return next;
  };
  return Object.assign(client, { query: inOrder });
}
