/** Payouts of a few developers as moves of a random mixture: reserved step by step, written into a file, and ended. */
import type { Pool } from 'pg';
import { newId } from '../../../src/kit/ids/ids';
import {
  type PayoutRow,
  reservePayout,
  returnLate,
  settlePayouts,
} from '../../../src/stores/payouts/payouts';
import type { Random } from './random';

/** Payouts that are still chosen from. */
const REMEMBERED = 30;

export function createPayoutMoves(pool: Pool, developers: readonly string[]) {
  const runs = new Map<string, Date>();
  const payouts: string[] = [];
  const known = new Set<string>();
  let last = 0;
  const pick = <T>(random: Random, list: readonly T[]): T | undefined => list[random(list.length || 1)];

  /** A payout that came back ends a method, so its developer sets it anew. */
  const setMethod = (developerId: string) =>
    pool.query(
      `INSERT INTO payout_methods (method_id, developer_user_id, method, sealed, masked) VALUES ($1, $2, 'ach', 'x', '{}')`,
      [newId('pmt'), developerId],
    );

  /** The file of a run, which has one payout here. */
  const writeFile = ({ payoutId, asOf, amountMinor, currency }: PayoutRow) =>
    pool.query(`SELECT payout_file_write($1, 'ach', $2, 0, 'file', $3, $4, $5, $6, 'x')`, [
      `ach-${payoutId}`,
      asOf,
      [payoutId],
      amountMinor,
      currency,
      'f'.repeat(64),
    ]);

  /** Each run has a time of its own, because it has one file. */
  function nextRun(): Date {
    last = Math.max(Date.now(), last + 1);
    return new Date(last);
  }

  return {
    setMethods: () => Promise.all(developers.map(setMethod)),

    /** A step of one payout after the other of a developer, as the runs of Mondays make them. */
    async reserve(random: Random): Promise<string> {
      const developerUserId = pick(random, developers) ?? '';
      const asOf = runs.get(developerUserId) ?? nextRun();
      runs.set(developerUserId, asOf);
      const made = await reservePayout(pool, {
        developerUserId,
        asOf,
        attempt: 0,
        taxFreeUnits: Number.MAX_SAFE_INTEGER,
        rails: ['ach'],
        traceId: 'trace',
        chunkLots: 1 + random(20),
        destination: { payTo: '', agents: [], addresses: [] },
      });
      if (made?.status !== 'reserving') runs.delete(developerUserId);
      // Another connection may have made the same step.
      if (made?.status === 'pending' && !known.has(made.payoutId)) {
        known.add(made.payoutId);
        if (random(4) > 0) await writeFile(made);
        payouts.push(made.payoutId);
        if (payouts.length > REMEMBERED) payouts.shift();
      }
      return made?.status ?? 'nothing';
    },

    /** The bank pays, refuses, or sends back what it had paid. */
    async payOut(random: Random): Promise<string> {
      const id = pick(random, payouts);
      if (id === undefined) return 'none';
      if (random(3) === 0) {
        if (!(await returnLate(pool, id, 'R03'))) return 'unchanged';
        await this.setMethods();
        return 'came back';
      }
      const end = random(3) === 0 ? ({ paid: false, reason: 'R01' } as const) : ({ paid: true } as const);
      if ((await settlePayouts(pool, [id], { ...end, at: new Date() })) === 0) return 'unchanged';
      return end.paid ? 'paid' : 'failed';
    },
  };
}

export type PayoutMoves = ReturnType<typeof createPayoutMoves>;
