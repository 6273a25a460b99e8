/** Promises by name. Several callers may wait for one name, each with its own timeout. */
export interface Waiters<T> {
  names(): string[];
  has(name: string): boolean;
  /** Resolves with the value of `tell`. Rejects with `impatient()` after `patienceMs`, or when `gone` aborts. */
  wait(name: string, patienceMs: number, impatient: () => Error, gone?: AbortSignal): Promise<T>;
  tell(name: string, value: T): void;
}

export function createWaiters<T>(): Waiters<T> {
  const waiters = new Map<string, Set<(value: T) => void>>();
  return {
    names: () => [...waiters.keys()],
    has: (name) => waiters.has(name),
    tell: (name, value) => waiters.get(name)?.forEach((tell) => tell(value)),
    wait: (name, patienceMs, impatient, gone) =>
      new Promise((resolve, reject) => {
        const tellers = waiters.get(name) ?? new Set();
        const leave = () => {
          clearTimeout(patience);
          gone?.removeEventListener('abort', giveUp);
          tellers.delete(tell);
          if (tellers.size === 0) waiters.delete(name);
        };
        const tell = (value: T) => {
          leave();
          resolve(value);
        };
        const giveUp = () => {
          leave();
          reject(impatient());
        };
        const patience = setTimeout(giveUp, patienceMs);
        waiters.set(name, tellers.add(tell));
        gone?.addEventListener('abort', giveUp, { once: true });
        if (gone?.aborted) giveUp();
      }),
  };
}
