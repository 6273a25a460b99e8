import { type FieldProblem, MarketError } from '../../domain/errors';
import { type Rubric, rubricProblems } from '../../domain/verification/rubric';
import { canonicalJson } from '../../kit/json/canonical-json';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import {
  listRubrics,
  publishRubric,
  readRubric,
  readRubricInEffect,
  type RubricRow,
  seedRubric,
  withdrawRubric,
} from '../../stores/verification/rubrics';
import { FIRST_RUBRIC } from '../../verification/scoring/first-rubric';
import type { OperatorRequest } from '../accounts/operator-actions';

export type { RubricRow };

export interface RubricProposal {
  document: Record<string, unknown>;
  changelog: string;
  /** Where the change is discussed. Null is allowed only if no weight changes (specification, "Limits"). */
  rfcUrl: string | null;
  /** At least 30 if the weights change; shorter requests are extended. */
  commentDays: number;
}

const FIRST_CHANGELOG = 'The first rubric.';

/** The rubric in effect. A new marketplace starts with the rubric in the code. */
export async function rubricInEffect(tx: Db): Promise<Rubric> {
  const known = await readRubricInEffect(tx);
  if (known) return known.document;
  await seedRubric(tx, FIRST_RUBRIC, canonicalJson(FIRST_RUBRIC), FIRST_CHANGELOG);
  const seeded = await readRubricInEffect(tx);
  if (!seeded) throw new Error('no rubric is in effect');
  return seeded.document;
}

/** Rubrics, their announcement, and how they take effect (specification, "Versioning" 7; contract, "Trust"). */
export function createRubrics(deps: { pool: DbPool }) {
  const { pool } = deps;

  return {
    /** Lists rubrics with their changelog, newest first. */
    async list(page: { limit: number; beforeSequence?: string | undefined }) {
      await rubricInEffect(pool);
      return listRubrics(pool, page);
    },

    /** Throws `not_found`. */
    async get(version: string): Promise<RubricRow> {
      await rubricInEffect(pool);
      const row = await readRubric(pool, version);
      if (!row) throw new MarketError('not_found');
      return row;
    },

    /**
     * Announces a rubric; every developer gets a notice and the event `rubric.announced`. Throws 422 with every problem
     * of the document, or if it changes weights without a request for comments; `invalid_state` if its version is not
     * the highest, or if another announced rubric is not in effect yet.
     */
    async publish(
      { document, changelog, rfcUrl, commentDays }: RubricProposal,
      request: OperatorRequest,
    ): Promise<RubricRow> {
      requireSound(document);
      await rubricInEffect(pool);
      const rubric = document as unknown as Rubric;
      const { version } = rubric;
      return withTransaction(pool, async (tx) => {
        const made = await publishRubric(tx, {
          version,
          document: canonicalJson(rubric),
          changelog,
          rfcUrl,
          commentDays,
        });
        if (!made) throw new MarketError('invalid_state', { message: NOT_NEXT });
        if (made.weightsChanged && rfcUrl === null)
          throw new MarketError('validation_failed', { detail: [RFC_NEEDED] });
        const details = {
          weights_changed: made.weightsChanged,
          comment_ends_at: made.commentEndsAt.toISOString(),
          rfc_url: made.rfcUrl,
        };
        await recordOperatorAction(tx, { ...request, action: 'rubric.publish', subject: version, details });
        return made;
      });
    },

    /** Withdraws an announced rubric. Throws `not_found`, or `invalid_state` once it is in effect. */
    async withdraw(version: string, request: OperatorRequest): Promise<RubricRow> {
      const known = await readRubric(pool, version);
      if (!known) throw new MarketError('not_found');
      await withTransaction(pool, async (tx) => {
        if (!(await withdrawRubric(tx, version))) throw new MarketError('invalid_state');
        if (known.withdrawnAt !== null) return;
        await recordOperatorAction(tx, { ...request, action: 'rubric.withdraw', subject: version });
      });
      return this.get(version);
    },
  };
}

export type Rubrics = ReturnType<typeof createRubrics>;

const NOT_NEXT = 'The version must be higher than all others, and no other rubric may be announced.';

const RFC_NEEDED = {
  loc: ['body', 'rfc_url'],
  msg: 'A rubric that changes weights needs the address of its request for comments.',
  type: 'missing',
};

/** Every problem of a document, as a field of the request. */
export function documentProblems(document: Record<string, unknown>): FieldProblem[] {
  return rubricProblems(document).map(({ loc, msg }) => ({
    loc: ['body', 'document', ...loc],
    msg,
    type: 'rubric',
  }));
}

/** Throws 422 with every problem of a document. */
function requireSound(document: Record<string, unknown>): void {
  const detail = documentProblems(document);
  if (detail.length > 0) throw new MarketError('validation_failed', { detail });
}
