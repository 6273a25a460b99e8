import { noteUses } from '../../stores/accounts/key-uses';
import type { Db } from '../../stores/db';

/**
 * Records when keys were last used, in batches, so that requests need not wait. A lost batch loses only these times.
 */
export interface KeyUses {
  note: (keyId: string, at: Date) => void;
  flush: () => Promise<void>;
  close: () => Promise<void>;
}

export interface KeyUsesDeps {
  db: Db;
  onError: (error: unknown) => void;
  flushMs?: number;
}

const MAX_NOTED = 10_000;

export function createKeyUses({ db, onError, flushMs = 5_000 }: KeyUsesDeps): KeyUses {
  let noted = new Map<string, Date>();

  const flush = async () => {
    if (noted.size === 0) return;
    const uses = [...noted].map(([keyId, at]) => ({ keyId, at }));
    noted = new Map();
    await noteUses(db, uses).catch(onError);
  };
  const timer = setInterval(() => void flush(), flushMs).unref();

  return {
    note(keyId, at) {
      if (noted.size < MAX_NOTED || noted.has(keyId)) noted.set(keyId, at);
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
