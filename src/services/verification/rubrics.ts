import { MarketError } from '../../domain/errors';
import { type Rubric, rubricProblems } from '../../domain/verification/rubric';
import { canonicalJson } from '../../kit/json/canonical-json';
import { decodeCursor, encodeCursor } from '../../kit/ids/cursor';
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
import type { OperatorRequest } from '../operations/operators';

export interface RubricProposal {
  document: Record<string, unknown>;
  changelog: string;
  /** At least 30 when the weights change, whatever is asked for. */
  commentDays: number;
}

const POSITION = [/^[0-9]{1,18}$/];
const FIRST_CHANGELOG = 'The first rubric.';

/** The rubric that scores runs now; a market without one begins with the one in the code. */
export async function rubricInEffect(tx: Db): Promise<Rubric> {
  const known = await readRubricInEffect(tx);
  if (known) return known.document;
  await seedRubric(tx, FIRST_RUBRIC, canonicalJson(FIRST_RUBRIC), FIRST_CHANGELOG);
  const seeded = await readRubricInEffect(tx);
  if (!seeded) throw new Error('no rubric is in effect');
  return seeded.document;
}

/** Rubrics, their announcement and how they take effect (specification, "Versioning" 7; contract, "Trust"). */
export function createRubrics(deps: { pool: DbPool }) {
  const { pool } = deps;

  return {
    /** Newest first: the changelog. */
    async list(page: { limit: number; cursor?: string | undefined }) {
      await rubricInEffect(pool);
      const scope = 'rubrics';
      const beforeSequence = page.cursor === undefined ? undefined : position(scope, page.cursor);
      const { rows, total } = await listRubrics(pool, { limit: page.limit + 1, beforeSequence });
      const shown = rows.slice(0, page.limit);
      const last = rows.length > page.limit ? shown.at(-1) : undefined;
      return {
        items: shown.map(toSummary),
        next_cursor: last ? encodeCursor(scope, [last.sequence]) : null,
        total,
      };
    },

    /** With its document. */
    async get(version: string) {
      await rubricInEffect(pool);
      const row = await readRubric(pool, version);
      if (!row) throw new MarketError('not_found');
      return { ...toSummary(row), document: row.document };
    },

    /**
     * Announces a rubric. 422 with every mistake of the document; 409 `invalid_state` when its version is not higher
     * than all others, or another one is announced and not in effect.
     */
    async publish({ document, changelog, commentDays }: RubricProposal, request: OperatorRequest) {
      requireSound(document);
      await rubricInEffect(pool);
      const rubric = document as unknown as Rubric;
      const { version } = rubric;
      const row = await withTransaction(pool, async (tx) => {
        const made = await publishRubric(tx, {
          version,
          document: canonicalJson(rubric),
          changelog,
          commentDays,
        });
        if (!made) throw new MarketError('invalid_state', { message: NOT_NEXT });
        const details = {
          weights_changed: made.weightsChanged,
          comment_ends_at: made.commentEndsAt.toISOString(),
        };
        await recordOperatorAction(tx, { ...request, action: 'rubric.publish', subject: version, details });
        return made;
      });
      return { ...toSummary(row), document: row.document };
    },

    /** Takes back an announcement. 409 `invalid_state` once it is in effect. */
    async withdraw(version: string, request: OperatorRequest) {
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

const NOT_NEXT = 'The version must be higher than every other, and no other rubric may be announced.';

/** Throws 422 with every mistake of a document. */
function requireSound(document: Record<string, unknown>): void {
  const problems = rubricProblems(document);
  if (problems.length === 0) return;
  const detail = problems.map(({ loc, msg }) => ({ loc: ['body', 'document', ...loc], msg, type: 'rubric' }));
  throw new MarketError('validation_failed', { detail });
}

function position(scope: string, cursor: string): string {
  const [sequence] = decodeCursor(scope, cursor, POSITION) ?? [];
  if (sequence !== undefined) return sequence;
  const detail = [{ loc: ['query', 'cursor'], msg: 'is not a cursor of this list', type: 'cursor' }];
  throw new MarketError('validation_failed', { detail });
}

function toSummary(row: RubricRow) {
  const status =
    row.withdrawnAt !== null
      ? ('withdrawn' as const)
      : row.effectiveAt === null
        ? ('announced' as const)
        : row.rolledOutAt === null
          ? ('rolling_out' as const)
          : ('in_effect' as const);
  return {
    version: row.version,
    status,
    changelog: row.changelog,
    weights_changed: row.weightsChanged,
    published_at: row.publishedAt.toISOString(),
    comment_ends_at: row.commentEndsAt.toISOString(),
    effective_at: row.effectiveAt?.toISOString() ?? null,
  };
}
