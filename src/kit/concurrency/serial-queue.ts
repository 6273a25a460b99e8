/**
 * A lane for work that blocks the event loop for a while (parsing 10 MiB of JSON takes 50 to 200 ms): one piece after
 * another, and between two pieces the loop gets a turn, so that sockets and timers of everybody else are served.
 */
export interface Lane {
  run<T>(work: () => T): Promise<T>;
}

export function createLane(): Lane {
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
