/**
 * The one condition by which an agent is shown (ADR 0384). Every statement that finds an agent for others than its
 * owner or an operator has it, or reads only agents with `listed`, which a constraint keeps public
 * (`test/arch/visibility.test.ts`). An agent that is not shown gives no row, as one that does not exist, by the same
 * statement.
 *
 * Returns the condition that the account of `viewer`, a value of SQL, may know the agent `a`. Null is a visitor.
 */
export const shownTo = (viewer: string): string =>
  `(a.visibility <> 'private' OR agent_shown_to(a.agent_id, a.developer_user_id, ${viewer}::text))`;
