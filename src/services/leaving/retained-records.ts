import { MarketError } from '../../domain/errors';
import type { Cipher, SealContext } from '../../kit/crypto/cipher';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import { type DbPool, withTransaction } from '../../stores/db';
import * as store from '../../stores/leaving/retained-records';
import type { OperatorRequest } from '../accounts/operator-actions';
import { methodContext, taxFormContext } from '../payouts/payout-accounts';

const PURGED = 100;

export interface RetainedRecord {
  keptAt: Date;
  endsAt: Date;
  record: Record<string, unknown>;
}

/** The sealing context of a retained record. */
export const retainedContext = (userId: string): SealContext => ({
  purpose: 'retained-record',
  user_id: userId,
});

/** What the law requires to keep of deleted accounts: sealed, for operators with a reason, until its day (ADR 0389). */
export function createRetainedRecords({
  pool,
  cipher,
  days,
}: {
  pool: DbPool;
  cipher: Cipher;
  days: number;
}) {
  const open = async (sealed: Buffer, context: SealContext) =>
    JSON.parse((await cipher.unseal(sealed, context)).toString()) as unknown;

  return {
    /** Keeps whom the invoices and payouts of an account named. Without any, keeps nothing. May be repeated. */
    async keep(userId: string): Promise<void> {
      const { invoices, forms, methods } = await store.readNamedParties(pool, userId);
      if (invoices.length + forms.length + methods.length === 0) return;
      const record = {
        invoices,
        tax_forms: await Promise.all(
          forms.map(async ({ formId, kind, sealed }) => ({
            kind,
            details: await open(sealed, taxFormContext(formId)),
          })),
        ),
        payout_methods: await Promise.all(
          methods.map(async ({ methodId, method, sealed }) => ({
            method,
            details: await open(sealed, methodContext(methodId)),
          })),
        ),
      };
      const sealed = await cipher.seal(Buffer.from(JSON.stringify(record)), retainedContext(userId));
      await store.insertRetainedRecord(pool, { userId, sealed, days });
    },

    /** Opens the record of a deleted account for an operator, with an audit log entry. Throws `not_found`. */
    async open(userId: string, request: OperatorRequest): Promise<RetainedRecord> {
      const found = await store.readRetainedRecord(pool, userId);
      if (!found) throw new MarketError('not_found');
      await withTransaction(pool, (tx) =>
        recordOperatorAction(tx, { ...request, action: 'retained_record.read', subject: userId }),
      );
      const record = (await open(found.sealed, retainedContext(userId))) as Record<string, unknown>;
      return { keptAt: found.keptAt, endsAt: found.endsAt, record };
    },

    purge: () => store.purgeRetainedRecords(pool, PURGED),
  };
}

export type RetainedRecords = ReturnType<typeof createRetainedRecords>;
