/** The rail for payments by x402 of callers without an account. */
import type { Config } from '../../config';
import type { PaymentTarget } from '../../domain/x402/payment-terms';
import type { Egress } from '../../egress/agent-call';
import { createChain, type Chain } from '../../egress/chain';
import { createFacilitator, type Facilitator } from '../../egress/facilitator';
import type { TokenDomain } from '../../kit/crypto/usdc-authorization';
import { addressIn, assetIn, requireAll, urlIn, wholeIn } from '../payouts/rail-settings';

export interface X402Rail {
  target: PaymentTarget;
  domain: TokenDomain;
  /** Number of blocks, including the payment's own, before a call counts as paid. */
  confirmations: number;
  /** How long a finished call waits for its payment. */
  settleMs: number;
  chain: Chain;
  facilitator: Facilitator;
}

const NEEDED = ['X402_PAY_TO', 'X402_FACILITATOR_URL', 'X402_RPC_URL'] as const;
/** A caller waits for it before its call is accepted. */
const VERIFY_MS = 8_000;
/** The hold of a call outlives its agent's deadline by 30 s. */
const MOST_SETTLE_SECONDS = 25;

/**
 * Creates the rail from the settings; undefined if there are none. Throws `Error` with the names of missing or
 * contradictory settings, and never with a secret value.
 */
export function chooseX402Rail({ config, egress }: { config: Config; egress: Egress }): X402Rail | undefined {
  // Payments that are open when X402 is switched off are driven on as long as the other settings stay.
  if (!config.X402 && NEEDED.some((name) => !config[name])) return undefined;
  requireAll(config, 'X402', NEEDED);
  const network = config.X402_NETWORK;
  const asset = assetIn(config, 'X402_ASSET', 'X402_NETWORK');
  const { X402_ASSET_NAME: assetName, X402_ASSET_VERSION: assetVersion } = config;
  const settleMs = wholeIn(config, 'X402_SETTLE_SECONDS', 1, MOST_SETTLE_SECONDS) * 1_000;
  return {
    target: { network, asset, assetName, assetVersion, payTo: addressIn(config, 'X402_PAY_TO') },
    domain: {
      chainId: Number(network.slice('eip155:'.length)),
      asset,
      name: assetName,
      version: assetVersion,
    },
    confirmations: wholeIn(config, 'X402_CONFIRMATIONS', 1, 100),
    settleMs,
    chain: createChain(egress, { rpcUrl: urlIn(config, egress, 'X402_RPC_URL') }),
    facilitator: createFacilitator(
      egress,
      {
        url: urlIn(config, egress, 'X402_FACILITATOR_URL').replace(/\/$/, ''),
        token: config.X402_FACILITATOR_TOKEN,
      },
      { verifyMs: VERIFY_MS, settleMs },
    ),
  };
}
