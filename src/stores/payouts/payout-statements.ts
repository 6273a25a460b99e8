import { LONGEST_CALL_DAYS } from '../../domain/calls/longest-call';
import { MOST_DISPUTE_DAYS } from '../../domain/disputes/dispute-case';
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';
import type { PayoutRow } from './payouts';

/** One line of a statement. The lines of a payout sum to what it paid. */
export interface StatementLine {
  type: 'invocation_earning' | 'payout_remainder' | 'payout_returned';
  /** Set for an earning. */
  invocationId: string | null;
  agentId: string | null;
  /** The payout that the carried amount comes from; for an amount carried on, this payout. */
  payoutId: string | null;
  grossUnits: number;
  feeUnits: number;
  /** Amount already recovered by clawbacks. */
  recoveredUnits: number;
  /** Negative for an amount carried over to the next payout. */
  units: number;
  at: Date;
}

/** A place in the lots of a payout: after this lot. */
export interface LotPosition {
  maturesAt: Date;
  invocationId: string;
}

/** The end of what is read: the last lot of the payout ($4), or $8 days after the beginning ($3). */
const UNTIL = `least($3::timestamptz + $8 * interval '1 day', $4::timestamptz)`;
/**
 * A lot matures after its call was accepted, by the longest dispute window at most. So only the months of $3 to the end
 * are read, with room for clocks that were moved.
 */
const IN_MONTHS = `e.invocation_id >= partition_bound('inv', ($3::timestamptz AT TIME ZONE 'UTC')::date - ${MOST_DISPUTE_DAYS + LONGEST_CALL_DAYS})
       AND e.invocation_id < partition_bound('inv', (${UNTIL} AT TIME ZONE 'UTC')::date + 62)`;
/** A page looks so far first; a payout has seldom lots of a longer time. */
const FIRST_DAYS = 31;
const DAY_MS = 86_400_000;

type PayoutLots = Pick<PayoutRow, 'payoutId' | 'developerUserId' | 'lotsFrom' | 'lotsUntil'>;

const LOTS = `SELECT 'invocation_earning' AS type, e.invocation_id, e.agent_id, NULL AS payout_id, e.gross_units, e.fee_units,
            e.recovered_units, e.net_units - e.recovered_units AS units, e.created_at AS at, e.matures_at
     FROM all_earnings e WHERE e.developer_user_id = $1 AND e.payout_id = $2 AND e.matures_at BETWEEN $3 AND ${UNTIL} AND ${IN_MONTHS}
       AND (e.matures_at, e.invocation_id) > ($5, $6) ORDER BY e.matures_at, e.invocation_id LIMIT $7`;
type LotRow = RawLine & { matures_at: Date; invocation_id: string };

/** Lists the earnings of a payout by maturity, one page at a time. `after` is the position of the next page. */
export async function listLotLines(
  db: Db,
  payout: PayoutLots,
  page: { limit: number; after?: LotPosition | undefined },
): Promise<{ lines: StatementLine[]; after: LotPosition | undefined }> {
  const { developerUserId, payoutId, lotsFrom, lotsUntil } = payout;
  const from = page.after?.maturesAt ?? lotsFrom;
  const read = async (days: number | null) =>
    (
      await db.query<LotRow>({
        name: 'payout-lots',
        text: LOTS,
        values: [
          developerUserId,
          payoutId,
          from,
          lotsUntil,
          page.after?.maturesAt ?? '-infinity',
          page.after?.invocationId ?? '',
          page.limit,
          days,
        ],
      })
    ).rows;
  let rows = await read(FIRST_DAYS);
  if (rows.length < page.limit && isLonger(from, lotsUntil)) rows = await read(null);
  const last = rows.length === page.limit ? rows.at(-1) : undefined;
  const after = last && { maturesAt: last.matures_at, invocationId: last.invocation_id };
  return { lines: rows.map(toLine), after };
}

/** The place of an earning in the lots of a payout; undefined if it is not one of them. */
export async function findLot(
  db: Db,
  { payoutId, developerUserId }: Pick<PayoutLots, 'payoutId' | 'developerUserId'>,
  invocationId: string,
): Promise<LotPosition | undefined> {
  const { rows } = await db.query<{ matures_at: Date }>(
    'SELECT matures_at FROM all_earnings WHERE invocation_id = $1 AND payout_id = $2 AND developer_user_id = $3',
    [invocationId, payoutId, developerUserId],
  );
  return rows[0] && { maturesAt: rows[0].matures_at, invocationId };
}

function isLonger(from: Date | null, until: Date | null): boolean {
  return from !== null && until !== null && until.getTime() - from.getTime() >= FIRST_DAYS * DAY_MS - 1;
}

/** Lists the amounts that a payout took along from earlier ones, then the amount that it carries on. */
export async function listCarryLines(db: Db, payoutId: string): Promise<StatementLine[]> {
  const { rows } = await db.query<RawLine>(
    `SELECT CASE c.kind WHEN 'remainder' THEN 'payout_remainder' ELSE 'payout_returned' END AS type,
            NULL AS invocation_id, NULL AS agent_id, c.payout_id, 0 AS gross_units, 0 AS fee_units, c.recovered_units,
            c.amount_units - c.recovered_units AS units, c.created_at AS at, 1 AS part
     FROM payout_carries c WHERE c.into_payout_id = $1
     UNION ALL
     SELECT 'payout_remainder', NULL, NULL, c.payout_id, 0, 0, 0, -c.amount_units, c.created_at, 2
     FROM payout_carries c WHERE c.payout_id = $1 AND c.kind = 'remainder' ORDER BY part, payout_id, type`,
    [payoutId],
  );
  return rows.map(toLine);
}

interface RawLine {
  type: StatementLine['type'];
  invocation_id: string | null;
  agent_id: string | null;
  payout_id: string | null;
  gross_units: string;
  fee_units: string;
  recovered_units: string;
  units: string;
  at: Date;
}

function toLine(row: RawLine): StatementLine {
  return {
    type: row.type,
    invocationId: row.invocation_id,
    agentId: row.agent_id,
    payoutId: row.payout_id,
    grossUnits: unitsFromDatabase(row.gross_units),
    feeUnits: unitsFromDatabase(row.fee_units),
    recoveredUnits: unitsFromDatabase(row.recovered_units),
    units: unitsFromDatabase(row.units),
    at: row.at,
  };
}
