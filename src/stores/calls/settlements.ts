import type { Truncation } from '../../domain/catalogue/truncation';
import { type Db, onlyRow } from '../db';
import { type CallState, type StateRow, toState } from './invocations';

export interface SettleItem {
  invocation_id: string;
  charged_units: number;
  output_sha256: string;
  output_bytes: number;
  tokens_in: number;
  tokens_out: number;
  duration_ms: number;
  truncated_by: Truncation | null;
  /** Encrypted answer, stored for `answer_ttl_ms`. Null if the answer is not stored. */
  answer: Buffer | null;
  answer_ttl_ms: number;
  /** Bytes that the buyer may have stored before the answer; null for an answer that is stored in any case. */
  answer_quota: number | null;
  /** Time until the earnings become payable: the length of the dispute window. */
  matures_after_ms: number;
  /** That time when the buyer is new and the developer was never paid; absent when no earnings mature late. */
  new_pair_ms?: number;
  /** The age of its first top-up that makes the buyer old; absent when the account itself is new. */
  new_topup_ms?: number;
}

/** Larger answers are encoded by Postgres, so that they do not pass through text on the event loop. */
const LARGE_BYTES = 64 * 1024;

type LargeItem = SettleItem & { answer: Buffer };

/** Whether the answer of a call is so large that the call is settled by `settleLarge`. */
export function isLarge(item: SettleItem): item is LargeItem {
  return item.answer !== null && item.answer.length > LARGE_BYTES;
}

/** Settles calls. `captured`: this attempt or an earlier one took the money. */
export async function settleInvocations(db: Db, items: SettleItem[]): Promise<CallState[]> {
  const json = items.map((item) => ({ ...item, answer: item.answer?.toString('base64') ?? null }));
  const result = await db.query<StateRow>({
    name: 'invocation-settle',
    text: 'SELECT outcome, status, error_code FROM invocation_settle($1::jsonb) ORDER BY ord',
    values: [JSON.stringify(json)],
  });
  return result.rows.map(toState);
}

/** Settles a call with a large answer, as `settleInvocations` does. */
export async function settleLarge(db: Db, { answer, ...item }: LargeItem): Promise<CallState> {
  const result = await db.query<StateRow>({
    name: 'invocation-settle-large',
    text: `SELECT outcome, status, error_code
      FROM invocation_settle(jsonb_set($1::jsonb, '{0,answer}', to_jsonb(encode($2::bytea, 'base64'))))`,
    values: [JSON.stringify([{ ...item, answer: null }]), answer],
  });
  return toState(onlyRow(result));
}
