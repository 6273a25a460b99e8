/**
 * A serial queue for work that blocks the event loop, such as parsing 10 MiB of JSON (50 to 200 ms). Tasks run one
 * after another. Between two tasks the event loop turns once, so that sockets and timers of other requests are
 * served.
 */
export interface SerialQueue {
  run<T>(work: () => T): Promise<T>;
}

export function createSerialQueue(): SerialQueue {
  let last: Promise<void> = Promise.resolve();
  return {
    run(work) {
      const result = last.then(work);
      last = result.then(nextTurn, nextTurn);
      return result;
    },
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
