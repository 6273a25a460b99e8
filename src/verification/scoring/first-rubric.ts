import { type Rubric, rubricProblems } from '../../domain/verification/rubric';
import document from '../rubrics/2026.2.json';

/**
 * The rubric of a new marketplace. A marketplace that has an older one goes on with it until an operator announces this
 * document (docs/verification-scores.md, "Rubrics").
 */
export const FIRST_RUBRIC: Rubric = toRubric(document);

/** Converts a document to a rubric. Throws `Error` with all problems. */
export function toRubric(value: unknown): Rubric {
  const problems = rubricProblems(value);
  if (problems.length === 0) return value as Rubric;
  throw new Error(
    `not a rubric: ${problems.map(({ loc, msg }) => `${loc.join('.') || 'the document'} ${msg}`).join('; ')}`,
  );
}
