/**
 * Parts that outlive a test file, such as the kept market. The global teardown closes them when jest runs the files in
 * its own process. A worker process of jest exits without closing them (jest/process-runtime.js): the next run drops
 * their databases and Schedules.
 */
type Closer = () => Promise<void>;

const CLOSERS = Symbol.for('agent-marketplace.test-closers');

/** Calls `close` in jest's global teardown, if this is the process of jest itself. */
export function onEndOfProcess(close: Closer): void {
  closers().push(close);
}

/** Closes every part that the files of this process left open. */
export async function endProcess(): Promise<void> {
  await Promise.all(
    closers()
      .splice(0)
      .map((close) => close()),
  );
}

/** The list is on the global object because jest and Node each load their own copy of this module. */
function closers(): Closer[] {
  const holder = globalThis as { [CLOSERS]?: Closer[] };
  return (holder[CLOSERS] ??= []);
}
