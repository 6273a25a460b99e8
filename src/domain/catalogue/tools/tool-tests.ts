/** Which tools of an MCP agent a verification run has called. */

/**
 * Why a tool counts as not tested. `undeclared`: neither read-only nor idempotent, and without an example.
 * `needs_task`: it answers by tasks alone, and the agent takes no jobs. `no_input`: no valid input could be made.
 * `too_many`: the run calls other tools of the list. `unproven`: ownership of the host is not proven. `no_time`: the
 * stage ended before. `refused`: it refused all inputs that were made. `failed`: no answer to a valid input conformed.
 */
export const UNTESTED_REASONS = [
  'undeclared',
  'needs_task',
  'no_input',
  'too_many',
  'unproven',
  'no_time',
  'refused',
  'failed',
] as const;
export type UntestedReason = (typeof UNTESTED_REASONS)[number];

/** Calls of one tool with valid inputs. `name`: in visible characters. `why`: absent for a tested tool. */
export interface ToolFact {
  name: string;
  calls: number;
  /** Answers that conform. */
  answered: number;
  why?: UntestedReason;
}

/** Which tools of a list a run has called. A tool is tested if an answer of it to a valid input conforms. */
export interface ToolTests {
  total: number;
  tested: number;
  /** The first `FACT_LIMIT` of the list. */
  tools: ToolFact[];
}

/** Why a tool counts as not tested, for readers of a report. */
export const UNTESTED_TEXTS: Record<UntestedReason, string> = {
  undeclared: 'is neither read-only nor idempotent by its annotations, and has no example',
  needs_task: 'answers by tasks alone, and the agent declares no jobs',
  no_input: 'no valid input could be made from its inputSchema',
  too_many: 'the run called other tools of the list',
  unproven: 'the owner has not proven the host',
  no_time: 'the run ended before',
  refused: 'refused every input that was made from its inputSchema',
  failed: 'gave no conforming answer to a valid input',
};

/** Such as "3 of 5 tools tested". */
export function toolTestsText({ tested, total }: Pick<ToolTests, 'tested' | 'total'>): string {
  return `${tested} of ${total} tools tested`;
}
