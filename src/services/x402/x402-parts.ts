/** Creates the services of callers without an account: their payments, their credits, and what drives both on. */
import type { Config } from '../../config';
import type { Egress } from '../../egress/agent-call';
import type { Cipher } from '../../kit/crypto/cipher';
import type { SchemaPool } from '../../kit/schemas/schema-pool';
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import type { RateLimits } from '../accounts/rate-limits';
import { chooseUsdcRail, type UsdcRail } from '../payouts/usdc-rail';
import { createOperatorX402 } from './operator-x402';
import { createPaidCalls } from './paid-calls';
import { createPayerSignIns } from './payer-sign-ins';
import { createPaymentLoop } from './payment-loop';
import { createRefunds } from './refunds';
import { chooseX402Rail, type X402Rail } from './x402-rail';

export interface X402PartsDeps {
  pool: DbPool;
  cipher: Cipher;
  config: Config;
  egress: Egress;
  schemas: SchemaPool;
  logger: Logger;
}

export function createX402Parts(deps: X402PartsDeps, rateLimits: RateLimits) {
  const { config } = deps;
  const rail = chooseX402Rail(deps);
  const { origin } = new URL(config.PUBLIC_ORIGIN);
  const payerRefunds = createRefunds({ ...deps, rail: treasuryOf(deps, rail) });
  return {
    paidCalls: createPaidCalls({ ...deps, rail, rateLimits, perMinute: config.RATE_LIMIT_X402 }),
    payerSignIns: createPayerSignIns({ ...deps, rail, origin }),
    payerRefunds,
    operatorX402: createOperatorX402({ ...deps, refunds: payerRefunds }),
    paymentLoop: createPaymentLoop({ ...deps, rail }),
  };
}

/** The treasury sends credits back if it has the token in which they were paid. */
function treasuryOf(deps: X402PartsDeps, paidBy: X402Rail | undefined): UsdcRail | undefined {
  const treasury = chooseUsdcRail(deps);
  const isSame =
    treasury?.network === paidBy?.target.network && treasury?.domain.asset === paidBy?.target.asset;
  return isSame ? treasury : undefined;
}
