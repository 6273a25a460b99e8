import { BoundedMap } from '../../kit/bounded-map';

interface Kept<Value> {
  value: Promise<Value>;
  until: number;
}

/**
 * Documents that are the same for every reader, kept for `forMs`: a crowd of crawlers costs one read for each document,
 * which may be that old. A failure is not kept. At most `most` documents are.
 */
export function createBriefCache<Value>({
  forMs,
  most,
  now = Date.now,
}: {
  forMs: number;
  most: number;
  now?: () => number;
}) {
  const kept = new BoundedMap<string, Kept<Value>>(most);
  return {
    get(name: string, make: () => Promise<Value>): Promise<Value> {
      const known = kept.get(name);
      if (known && known.until > now()) return known.value;
      const value = make();
      kept.set(name, { value, until: now() + forMs });
      value.catch(() => {
        if (kept.get(name)?.value === value) kept.delete(name);
      });
      return value;
    },
  };
}
