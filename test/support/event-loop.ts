import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/**
 * The share of the time of `work` in which this thread was busy, with all that it does for it. Other load of the
 * machine delays both alike, and a thread that is only scheduled late while it waits is not busy.
 */
export async function busyShare(work: () => Promise<unknown>): Promise<{ share: number; tookMs: number }> {
  const before: EventLoopUtilization = performance.eventLoopUtilization();
  await work();
  const { active, idle, utilization } = performance.eventLoopUtilization(before);
  return { share: utilization, tookMs: active + idle };
}

/**
 * Starts to add up by how much turns of the event loop begin late: what the process is delayed by, whatever keeps it
 * busy.
 */
export function startLateness(everyMs = 10): { stop(): number } {
  let lateMs = 0;
  let lastAt = performance.now();
  const look = () => {
    const now = performance.now();
    // A timer of a process that nothing delays may be late by less than its period.
    lateMs += Math.max(0, now - lastAt - 2 * everyMs);
    lastAt = now;
  };
  const timer = setInterval(look, everyMs);
  return {
    stop() {
      look();
      clearInterval(timer);
      return lateMs;
    },
  };
}
