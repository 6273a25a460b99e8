/**
 * Shares a number of places between tenants. A tenant that has no place always gets one; further ones it gets while it has
 * fewer than an equal share among those that have any, and one more.
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
