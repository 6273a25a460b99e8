import { MarketError } from '../../domain/errors';
import type { Db } from '../../stores/db';
import { endMethod, listMethods, readMethod, type SavedMethodRow } from '../../stores/billing/saved-methods';
import type { PaymentProviders } from './providers/payment-providers';

export type SavedMethod = SavedMethodRow;

/** Payment methods that payers have saved at a provider, for automatic top-ups. The service has no card data. */
export function createSavedMethods({ pool, providers }: { pool: Db; providers: PaymentProviders }) {
  return {
    /** The methods of an account that can pay, newest first. */
    list: (userId: string, page: { limit: number; beforeId?: string | undefined }) =>
      listMethods(pool, userId, page),

    /**
     * Makes a method unusable, here and at its provider, and turns off automatic top-ups with it. Throws `not_found`,
     * and `not_ready` if the provider does not answer: the method is unusable here all the same.
     */
    async end(userId: string, methodId: string): Promise<void> {
      const method = await readMethod(pool, userId, methodId);
      if (!method) throw new MarketError('not_found');
      const { provider, methodRef } = method;
      await endMethod(pool, provider, methodRef, 'owner');
      await providers.named(provider).saved?.end(methodRef);
    },
  };
}

export type SavedMethods = ReturnType<typeof createSavedMethods>;
