import type { Db, DbPool } from './db';

export interface Listener {
  /** Starts listening unless it is active already. Resolves also if that failed, so call it again periodically. */
  ensure(): Promise<void>;
  stop(): void;
}

export interface ListenerOptions {
  pool: DbPool;
  channel: string;
  onPayload(payload: string): void;
  onFailure(error: unknown): void;
}

/** Runs `LISTEN` on one connection of the pool. Notifications are lost while it is disconnected, so poll as well. */
export function createListener({ pool, channel, onPayload, onFailure }: ListenerOptions): Listener {
  let listening: Promise<void> | undefined;
  let release: (() => void) | undefined;
  let stopped = false;

  async function listen(): Promise<void> {
    const client = await pool.connect();
    if (stopped) return client.release();
    const stop = (error?: Error) => {
      if (release !== stop) return;
      listening = undefined;
      release = undefined;
      client.release(error ?? true);
    };
    release = stop;
    client.on('error', stop);
    client.on('notification', ({ payload }) => payload !== undefined && onPayload(payload));
    await client.query(`LISTEN ${channel}`);
  }

  return {
    ensure() {
      listening ??= listen().catch((error: unknown) => {
        release?.();
        listening = undefined;
        onFailure(error);
      });
      return listening;
    },
    stop() {
      stopped = true;
      release?.();
    },
  };
}

/** Sends a payload to all listeners of a channel. It must have less than 8,000 bytes. */
export async function notify(db: Db, channel: string, payload: string): Promise<void> {
  await db.query('SELECT pg_notify($1, $2)', [channel, payload]);
}
