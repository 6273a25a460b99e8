/**
 * Settles as `work` does, or after `timeoutMs` as `onLate` says: with the value that it returns or the error that it
 * throws. Late work goes on, and how it ends is ignored; `onLate` is the place to stop it. The timer never outlives the
 * wait.
 */
export async function withTimeout<Done, Late>(
  timeoutMs: number,
  work: Promise<Done>,
  onLate: () => Late,
): Promise<Done | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)));
  const late = timeout.then(onLate);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
