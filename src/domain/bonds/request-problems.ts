import type { FieldProblem } from '../errors';
import { isStorableJson } from '../json-value';
import { exactUnits } from './bond';

const MAX_EVIDENCE_CHARACTERS = 32_768;

/** Problems of `credits` in a body: more than two decimals. */
export function creditsProblems(credits: unknown): FieldProblem[] {
  if (typeof credits !== 'number' || exactUnits(credits) !== undefined) return [];
  return [{ loc: ['body', 'credits'], msg: 'takes at most two decimals', type: 'decimals' }];
}

/** Problems of `evidence` in a body: it is too long, or Postgres cannot store it. */
export function evidenceProblems(evidence: unknown): FieldProblem[] {
  if (evidence === undefined) return [];
  const fits = JSON.stringify(evidence).length <= MAX_EVIDENCE_CHARACTERS;
  if (fits && isStorableJson(evidence)) return [];
  const msg = fits
    ? 'contains a NUL character or a lone surrogate'
    : `is longer than ${MAX_EVIDENCE_CHARACTERS} characters of JSON`;
  return [{ loc: ['body', 'evidence'], msg, type: fits ? 'text' : 'maxLength' }];
}
