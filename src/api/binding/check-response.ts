import type { Operation } from '../../contract/operation';
import type { Check } from '../../kit/schemas/validator';

/** Throws if an answer is not as the contract says. `checks`: those of the operation's JSON responses by status. */
export function checkResponse(
  { id, responses }: Operation,
  checks: ReadonlyMap<number, Check>,
  status: number,
  body: unknown,
): void {
  if (!(status in responses))
    throw new Error(`operation ${id} answers ${status}, which its contract does not name`);
  const problems = checks.get(status)?.(body) ?? [];
  if (problems.length > 0)
    throw new Error(`operation ${id} answers outside its contract: ${JSON.stringify(problems)}`);
}
