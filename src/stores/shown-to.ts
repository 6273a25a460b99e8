/**
 * Returns the SQL condition that the account `viewer`, a value of SQL, may see the agent `a`. Null is a visitor
 * (ADR 0384).
 *
 * Every statement that finds an agent for others than its owner or an operator has it, or reads only agents with
 * `listed`, which a constraint keeps public (`test/arch/visibility.test.ts` compares the files). For an agent that is
 * not shown, the statement gives no row, as for one that does not exist.
 */
export const shownTo = (viewer: string): string =>
  `(a.visibility <> 'private' OR agent_shown_to(a.agent_id, a.developer_user_id, ${viewer}::text))`;
