/** The payout services: accounts, weekly runs, and views. */
import type { Config } from '../../config';
import { UNITS_PER_CREDIT } from '../../domain/ledger/money';
import { FILE_METHODS, PAYOUT_METHODS } from '../../domain/payouts/rails';
import type { Egress } from '../../egress/agent-call';
import type { Cipher } from '../../kit/crypto/cipher';
import type { DocumentWriter } from '../../kit/documents/document-threads';
import type { Logger } from '../../logger';
import type { Db, DbPool } from '../../stores/db';
import { createOperatorPayouts } from './operator-payouts';
import { createPayoutAccounts } from './payout-accounts';
import { createPayoutRuns } from './payout-runs';
import { createPayoutViews } from './payout-views';
import { chooseUsdcRail } from './usdc-rail';
import { createUsdcTransfers } from './usdc-transfers';

export interface PayoutsDeps {
  pool: DbPool;
  reads: Db;
  cipher: Cipher;
  config: Config;
  egress: Egress;
  documents: DocumentWriter;
  logger: Logger;
}

export function createPayouts(deps: PayoutsDeps) {
  const { pool, reads, cipher, config, egress, documents, logger } = deps;
  const rail = chooseUsdcRail({ config, egress });
  const rails = rail ? PAYOUT_METHODS : FILE_METHODS;
  return {
    usdcTransfers: createUsdcTransfers({ pool, cipher, logger, rail }),
    payoutAccounts: createPayoutAccounts({ pool, cipher, rails }),
    payoutRuns: createPayoutRuns({
      pool,
      cipher,
      logger,
      payer: payerOf(config),
      rails,
      taxFreeUnits: config.PAYOUT_TAX_FREE_CREDITS * UNITS_PER_CREDIT,
      refusesFuture: config.NODE_ENV === 'production',
      settlesAtOnce: config.PAYOUT_SETTLEMENT === 'sandbox',
    }),
    payoutViews: createPayoutViews({ pool: reads, documents }),
    operatorPayouts: createOperatorPayouts({ pool }),
  };
}

/** The company that pays, and its bank, as payment files name them. */
export function payerOf(config: Config) {
  return {
    companyName: config.PAYOUT_COMPANY_NAME,
    companyId: config.PAYOUT_COMPANY_ID,
    bankName: config.PAYOUT_BANK_NAME,
    routingNumber: config.PAYOUT_ROUTING_NUMBER,
    accountNumber: config.PAYOUT_ACCOUNT_NUMBER,
    bic: config.PAYOUT_BIC,
  };
}
