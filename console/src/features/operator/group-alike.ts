/** What decisions need to be shown together. */
interface Alike {
  id: string;
  kind: string;
  alike?: string;
}

/** So many equal decisions are shown as one. */
const LEAST = 3;

/** Decisions in their order; those that are decided alike stand together where the first of them stands. */
export function groupAlike<T extends Alike>(decisions: readonly T[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of decisions) {
    const key = one.alike === undefined ? `one ${one.id}` : `${one.kind} ${one.alike}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const grouped = [...groups.values()].flatMap((group) =>
    group.length < LEAST ? group.map((one) => [one]) : [group],
  );
  const place = new Map(decisions.map(({ id }, index) => [id, index]));
  const first = ([one]: T[]) => place.get(one?.id ?? '') ?? 0;
  return grouped.sort((a, b) => first(a) - first(b));
}

/** The money of all of them, if it is of one currency. */
export function sumOf(
  decisions: readonly { money?: { minor: number; currency: string } }[],
): { minor: number; currency: string } | undefined {
  const amounts = decisions.map(({ money }) => money);
  const [first] = amounts;
  if (first === undefined || amounts.some((one) => one?.currency !== first.currency)) return undefined;
  return {
    minor: amounts.reduce((sum, one) => sum + (one?.minor ?? 0), 0),
    currency: first.currency,
  };
}

/** Does something for each, one after the other. Throws a message that says how many failed, and why the first did. */
export async function doEach<T>(all: readonly T[], act: (one: T) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = [];
  for (const one of all) await act(one).catch((error: unknown) => failures.push(error));
  if (failures.length === 0) return;
  const [first] = failures;
  const why = first instanceof Error ? first.message : String(first);
  throw new Error(
    `${all.length - failures.length} of ${all.length} are done; ${failures.length} failed: ${why}`,
  );
}
