import { createRecentTimes, type RecentTimes } from './recent-times';

/**
 * Shares processor time between tenants. Each tenant's time is measured (`recent-times.ts`). The tenant that used the
 * least lately goes next, so a tenant with much or expensive work waits for those with little. Tenants that used the
 * same take turns.
 */
export interface TenantTurns extends RecentTimes {
  /**
   * Runs `work` in the tenant's turn and charges its duration, unless `chargesWork` is false. Rejects with `late()`
   * after `patienceMs`, and with `crowded()` when `mostWaiting` of the tenant wait already.
   */
  run<T>(tenant: string, work: () => Promise<T>): Promise<T>;
  /** True while work of another tenant waits. */
  othersWait(tenant: string): boolean;
}

export interface TurnOptions {
  slots: number;
  /** How long work waits for its turn. `Infinity`: as long as it takes. */
  patienceMs: number;
  late: () => Error;
  /** How many may wait for one tenant; default: any number. */
  mostWaiting?: number;
  crowded?: () => Error;
  /** How many slots one tenant may have at once; default: any number. */
  mostRunning?: number;
  /** Tenants that go before all others; default: none. */
  isPreferred?: (tenant: string) => boolean;
  /** Whether `run` charges the duration of its work; default: true. Otherwise only `charge` counts. */
  chargesWork?: boolean;
  now?: () => number;
}

/** Counts the slots that are taken, in all and by each tenant. */
function createPlaces(slots: number, mostRunning: number) {
  const running = new Map<string, number>();
  let free = slots;
  return {
    mayRun: (tenant: string) => free > 0 && (running.get(tenant) ?? 0) < mostRunning,
    enter(tenant: string): void {
      free -= 1;
      running.set(tenant, (running.get(tenant) ?? 0) + 1);
    },
    give(tenant: string): void {
      free += 1;
      const left = (running.get(tenant) ?? 0) - 1;
      if (left > 0) running.set(tenant, left);
      else running.delete(tenant);
    },
  };
}

export function createTenantTurns(options: TurnOptions): TenantTurns {
  const { slots, patienceMs, late, mostWaiting = Infinity, crowded = late } = options;
  const { mostRunning = Infinity } = options;
  const { now = () => performance.now(), chargesWork = true, isPreferred = () => false } = options;
  const { recentMs, charge } = createRecentTimes(now);
  const waiting = new Map<string, Set<() => void>>();
  const { mayRun, enter, give } = createPlaces(slots, mostRunning);

  function next(): void {
    const rank = (one: string) => (isPreferred(one) ? 0 : 1);
    const [tenant] = [...waiting.keys()]
      .filter(mayRun)
      .sort((a, b) => rank(a) - rank(b) || recentMs(a) - recentMs(b));
    const turn = tenant === undefined ? undefined : waiting.get(tenant)?.values().next().value;
    if (tenant === undefined || !turn) return;
    leave(tenant, turn);
    enter(tenant);
    turn();
  }

  function leave(tenant: string, turn: () => void): void {
    const line = waiting.get(tenant);
    line?.delete(turn);
    waiting.delete(tenant);
    if (line && line.size > 0) waiting.set(tenant, line);
  }

  function acquire(tenant: string): Promise<void> {
    if (mayRun(tenant)) {
      enter(tenant);
      return Promise.resolve();
    }
    if ((waiting.get(tenant)?.size ?? 0) >= mostWaiting) return Promise.reject(crowded());
    return new Promise((resolve, reject) => {
      const turn = () => {
        clearTimeout(patience);
        resolve();
      };
      const giveUp = () => {
        leave(tenant, turn);
        reject(late());
      };
      const patience = patienceMs === Infinity ? undefined : setTimeout(giveUp, patienceMs);
      waiting.set(tenant, (waiting.get(tenant) ?? new Set()).add(turn));
    });
  }

  return {
    recentMs,
    charge,
    othersWait: (tenant) => waiting.size > Number(waiting.has(tenant)),
    async run(tenant, work) {
      await acquire(tenant);
      const beganAt = now();
      try {
        return await work();
      } finally {
        if (chargesWork) charge(tenant, now() - beganAt);
        give(tenant);
        next();
      }
    },
  };
}
