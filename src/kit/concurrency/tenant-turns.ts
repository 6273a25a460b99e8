/**
 * Shares processor time between tenants. Each tenant's time is measured and forgotten by half every `HALF_LIFE_MS`. The
 * tenant that used the least lately goes next, so a tenant with much or expensive work waits for those with little. Tenants
 * that used the same take turns.
 */
export interface TenantTurns {
  /**
   * Runs `work` in the tenant's turn and charges its duration, unless `chargesWork` is false. Rejects with `late()` after `patienceMs`, and with
   * `crowded()` when `mostWaiting` of the tenant wait already.
   */
  run<T>(tenant: string, work: () => Promise<T>): Promise<T>;
  /** Charges work that was done elsewhere. */
  charge(tenant: string, ms: number): void;
  /** The tenant's recent time, in milliseconds. */
  recentMs(tenant: string): number;
}

const HALF_LIFE_MS = 10_000;
/** Tenants with less recent time than this are forgotten when there are many. */
const NEGLIGIBLE_MS = 1;
const MANY_TENANTS = 10_000;

interface Used {
  ms: number;
  at: number;
}

export interface TurnOptions {
  slots: number;
  patienceMs: number;
  late: () => Error;
  /** How many may wait for one tenant; default: any number. */
  mostWaiting?: number;
  crowded?: () => Error;
  /** Whether `run` charges the duration of its work; default: true. Otherwise only `charge` counts. */
  chargesWork?: boolean;
  now?: () => number;
}

export function createTenantTurns(options: TurnOptions): TenantTurns {
  const { slots, patienceMs, late, mostWaiting = Infinity, crowded = late } = options;
  const { now = () => performance.now(), chargesWork = true } = options;
  const used = new Map<string, Used>();
  const waiting = new Map<string, Set<() => void>>();
  let free = slots;

  function recentMs(tenant: string): number {
    const entry = used.get(tenant);
    return entry ? entry.ms * 0.5 ** ((now() - entry.at) / HALF_LIFE_MS) : 0;
  }

  function charge(tenant: string, ms: number): void {
    used.set(tenant, { ms: recentMs(tenant) + ms, at: now() });
    if (used.size <= MANY_TENANTS) return;
    for (const known of used.keys()) if (recentMs(known) < NEGLIGIBLE_MS) used.delete(known);
  }

  function next(): void {
    const [tenant] = [...waiting.keys()].sort((a, b) => recentMs(a) - recentMs(b));
    const turn = tenant === undefined ? undefined : waiting.get(tenant)?.values().next().value;
    if (tenant === undefined || !turn) {
      free += 1;
      return;
    }
    leave(tenant, turn);
    turn();
  }

  function leave(tenant: string, turn: () => void): void {
    const line = waiting.get(tenant);
    line?.delete(turn);
    waiting.delete(tenant);
    if (line && line.size > 0) waiting.set(tenant, line);
  }

  function take(tenant: string): Promise<void> {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    if ((waiting.get(tenant)?.size ?? 0) >= mostWaiting) return Promise.reject(crowded());
    return new Promise((resolve, reject) => {
      const turn = () => {
        clearTimeout(patience);
        resolve();
      };
      const patience = setTimeout(() => {
        leave(tenant, turn);
        reject(late());
      }, patienceMs);
      waiting.set(tenant, (waiting.get(tenant) ?? new Set()).add(turn));
    });
  }

  return {
    recentMs,
    charge,
    async run(tenant, work) {
      await take(tenant);
      const beganAt = now();
      try {
        return await work();
      } finally {
        if (chargesWork) charge(tenant, now() - beganAt);
        next();
      }
    },
  };
}
