/**
 * Concurrent reads of one thing share a query: at most one runs and one waits for each name. A caller never gets the
 * result of a read that began before it asked, so that it sees every change that was made before.
 */
export function createSharedReads<T>() {
  const running = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();

  function begin(name: string, read: () => Promise<T>): Promise<T> {
    const reading = read().finally(() => {
      if (running.get(name) === reading) running.delete(name);
    });
    running.set(name, reading);
    return reading;
  }

  return {
    read(name: string, read: () => Promise<T>): Promise<T> {
      const current = running.get(name);
      if (!current) return begin(name, read);
      const waiting = next.get(name);
      if (waiting) return waiting;
      const following = current
        .catch(() => undefined)
        .then(() => {
          next.delete(name);
          return begin(name, read);
        });
      next.set(name, following);
      return following;
    },
  };
}
