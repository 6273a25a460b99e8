/** Takes the lock for this process. Returns the id of the process that holds it, or undefined when it was taken. */
export function tryFileLock(path: string): number | undefined;

/** Releases a lock that this process holds. */
export function releaseFileLock(path: string): void;

/**
 * Runs `work` while this process holds the lock, and releases it afterwards, also when the process exits meanwhile.
 * `onWait` is called once, with the id of the holder, when another process holds the lock.
 */
export function withFileLock<T>(
  path: string,
  onWait: (pid: number) => void,
  work: () => Promise<T>,
): Promise<T>;
