/** Which declarations of a manifest the findings of a run contradict. */
import type { Rule } from './rubric';
import { type Judgement, STAGES } from './trust';

/**
 * The declaration that each of these findings contradicts. Declarations are binding, so a reader sees both together.
 */
const CONTRADICTED: Partial<Record<Rule, string>> = {
  not_idempotent: 'capabilities.idempotent',
  not_streaming: 'capabilities.streaming',
  over_its_timeout: 'timeout_ms',
  undeclared_personal_data: 'data_handling.pii_processed',
  undeclared_host: 'data_handling.subprocessors',
  unexpected_output: 'examples',
};

/** The contradicted declarations, sorted by name, each with the fingerprints of the findings that contradict it. */
export function contradictedDeclarations({ stages }: Pick<Judgement, 'stages'>): [string, string[]][] {
  const found = new Map<string, string[]>();
  for (const { fingerprint } of STAGES.flatMap((stage) => stages[stage].findings)) {
    const [rule = ''] = fingerprint.split(':', 1);
    const declaration = CONTRADICTED[rule as Rule];
    if (declaration !== undefined) found.set(declaration, [...(found.get(declaration) ?? []), fingerprint]);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
}
