/** Transactions may commit out of order, so this many ids before the last seen one are read again. */
export const LOOK_BACK = 50;

/** Where a reader of `listing_changes` is. */
export interface ChangePosition {
  /** The id after which to read. */
  from: () => number;
  /** Moves past a change. Returns false for one that was passed before, or that lies before the start. */
  pass: (changeId: number) => boolean;
}

/** The position behind a change. */
export function positionAt(start: number): ChangePosition {
  let last = start;
  const seen = new Set<number>();
  return {
    from: () => Math.max(start, last - LOOK_BACK),
    pass(changeId) {
      if (changeId <= start || changeId <= last - LOOK_BACK || seen.has(changeId)) return false;
      seen.add(changeId);
      last = Math.max(last, changeId);
      for (const id of seen) if (id <= last - LOOK_BACK) seen.delete(id);
      return true;
    },
  };
}
