/**
 * Shares a number of places between tenants. A tenant that has no place always gets one; further ones it gets while it
 * has fewer than an equal share among those that have any, and one more.
 */
export interface Shares {
  /** Takes a place and returns the function that gives it back; undefined if the tenant's share is used up. */
  enter(tenant: string): (() => void) | undefined;
}

export function createShares(places: number): Shares {
  const taken = new Map<string, number>();
  return {
    enter(tenant) {
      const mine = taken.get(tenant) ?? 0;
      const others = taken.has(tenant) ? taken.size - 1 : taken.size;
      if (mine > 0 && mine >= Math.floor(places / (others + 2))) return undefined;
      taken.set(tenant, mine + 1);
      return () => {
        const left = (taken.get(tenant) ?? 0) - 1;
        if (left > 0) taken.set(tenant, left);
        else taken.delete(tenant);
      };
    },
  };
}

/**
 * A fixed number of places that tenants share. A tenant takes a further place while it has fewer than `factor` times
 * the free places times their part of all. So one tenant alone has much (of factor 1: 38%; of factor 4: 61%), and the
 * shares shrink faster than the free places: n tenants that take what they can leave one in n of the places, also if
 * they come one after the other. A tenant without a place gets one as long as any is free. A place may count for
 * several tenants, such as a buyer and a developer.
 */
export interface Places {
  /** Places that are taken. */
  readonly size: number;
  /**
   * Takes a place and returns the function that gives it back; undefined if a tenant has its share or no place is free.
   */
  enter(tenants: readonly Tenant[]): (() => void) | undefined;
  /** True if `enter` would refuse. */
  isPast(tenants: readonly Tenant[]): boolean;
}

export interface Tenant {
  name: string;
  factor: number;
}

export function createPlaces(most: number): Places {
  const taken = new Map<string, number>();
  let size = 0;
  const add = (name: string, change: number) => {
    const now = (taken.get(name) ?? 0) + change;
    if (now > 0) taken.set(name, now);
    else taken.delete(name);
  };
  const isPast = (tenants: readonly Tenant[]): boolean => {
    const free = most - size;
    const share = (free * free) / most;
    return free <= 0 || tenants.some(({ name, factor }) => (taken.get(name) ?? 0) >= factor * share);
  };
  return {
    get size() {
      return size;
    },
    isPast,
    enter(tenants) {
      if (isPast(tenants)) return undefined;
      size += 1;
      for (const { name } of tenants) add(name, 1);
      let isIn = true;
      return () => {
        if (!isIn) return;
        isIn = false;
        size -= 1;
        for (const { name } of tenants) add(name, -1);
      };
    },
  };
}
