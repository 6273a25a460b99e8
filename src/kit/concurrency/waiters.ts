/** Promises by name. Several callers may wait for one name, each with its own timeout. */
export interface Waiters<T> {
  names(): string[];
  has(name: string): boolean;
  /** Resolves with the value of `tell`. Rejects with `impatient()` after `patienceMs`. */
  wait(name: string, patienceMs: number, impatient: () => Error): Promise<T>;
  tell(name: string, value: T): void;
}

export function createWaiters<T>(): Waiters<T> {
  const waiters = new Map<string, Set<(value: T) => void>>();
  return {
    names: () => [...waiters.keys()],
    has: (name) => waiters.has(name),
    tell: (name, value) => waiters.get(name)?.forEach((tell) => tell(value)),
    wait: (name, patienceMs, impatient) =>
      new Promise((resolve, reject) => {
        const tellers = waiters.get(name) ?? new Set();
        const leave = () => {
          clearTimeout(patience);
          tellers.delete(tell);
          if (tellers.size === 0) waiters.delete(name);
        };
        const tell = (value: T) => {
          leave();
          resolve(value);
        };
        const patience = setTimeout(() => {
          leave();
          reject(impatient());
        }, patienceMs);
        waiters.set(name, tellers.add(tell));
      }),
  };
}
