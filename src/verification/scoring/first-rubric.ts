import { type Rubric, rubricProblems } from '../../domain/verification/rubric';
import document from '../rubrics/2026.1.json';

/** The rubric that a market begins with. Later ones are published by an operator. */
export const FIRST_RUBRIC: Rubric = toRubric(document);

/** A document as a rubric; throws with every mistake. */
export function toRubric(value: unknown): Rubric {
  const problems = rubricProblems(value);
  if (problems.length === 0) return value as Rubric;
  throw new Error(
    `not a rubric: ${problems.map(({ loc, msg }) => `${loc.join('.') || 'the document'} ${msg}`).join('; ')}`,
  );
}
