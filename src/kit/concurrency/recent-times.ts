/** Processor time that tenants used lately. It is forgotten by half every `HALF_LIFE_MS`. */
export interface RecentTimes {
  /** Charges work. */
  charge(tenant: string, ms: number): void;
  /** The tenant's recent time, in milliseconds. */
  recentMs(tenant: string): number;
}

const HALF_LIFE_MS = 10_000;
/** Tenants with less recent time than this are forgotten when there are many. */
const NEGLIGIBLE_MS = 1;
const MANY_TENANTS = 10_000;

export function createRecentTimes(now: () => number): RecentTimes {
  const used = new Map<string, { ms: number; at: number }>();

  function recentMs(tenant: string): number {
    const entry = used.get(tenant);
    return entry ? entry.ms * 0.5 ** ((now() - entry.at) / HALF_LIFE_MS) : 0;
  }

  return {
    recentMs,
    charge(tenant, ms) {
      used.set(tenant, { ms: recentMs(tenant) + ms, at: now() });
      if (used.size <= MANY_TENANTS) return;
      for (const known of used.keys()) if (recentMs(known) < NEGLIGIBLE_MS) used.delete(known);
    },
  };
}
