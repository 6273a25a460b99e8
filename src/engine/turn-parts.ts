/**
 * Does each part of a loop's turn, one after the other, also when an earlier part has failed. Throws `AggregateError`
 * with what failed at the end, so that the loop counts as failing.
 */
export async function eachPart(...parts: (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts) {
    try {
      await part();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length === 0) return;
  throw new AggregateError(failures, failures.map(messageOf).join('; '));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
