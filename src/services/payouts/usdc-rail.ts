/** The rail for USDC payouts. It is either completely configured or off. */
import type { Config } from '../../config';
import type { Egress } from '../../egress/agent-call';
import { createChain, type Chain } from '../../egress/chain';
import { createFacilitator, type Facilitator } from '../../egress/facilitator';
import {
  addressOfKey,
  type Authorization,
  signAuthorization,
  type TokenDomain,
} from '../../kit/crypto/usdc-authorization';
import { addressIn, assetIn, requireAll, urlIn, wholeIn } from './rail-settings';
import { StartRefusal } from '../../kit/start-refusal';

export interface UsdcRail {
  /** CAIP-2 identifier. */
  network: string;
  domain: TokenDomain;
  /** The paying address. */
  treasury: string;
  /** Number of blocks, including the transaction's own, before a transaction counts. */
  confirmations: number;
  /** Validity of an authorization in seconds. */
  validSeconds: number;
  /** Origin of the resource URL in payments, for the facilitator's log. */
  origin: string;
  chain: Chain;
  facilitator: Facilitator;
  sign(authorization: Authorization): string;
}

const NEEDED = [
  'PAYOUT_USDC_TREASURY',
  'PAYOUT_USDC_TREASURY_KEY',
  'PAYOUT_USDC_FACILITATOR_URL',
  'PAYOUT_USDC_RPC_URL',
] as const;

/**
 * Creates the rail from the settings; undefined if it is off. Throws `Error` with the names of missing or contradictory
 * settings, and never with a secret value.
 */
export function chooseUsdcRail({ config, egress }: { config: Config; egress: Egress }): UsdcRail | undefined {
  if (!config.PAYOUT_USDC) return undefined;
  requireAll(config, 'PAYOUT_USDC', NEEDED);
  const network = config.PAYOUT_USDC_NETWORK;
  const asset = assetIn(config, 'PAYOUT_USDC_ASSET', 'PAYOUT_USDC_NETWORK');
  const treasury = addressIn(config, 'PAYOUT_USDC_TREASURY');
  const key = config.PAYOUT_USDC_TREASURY_KEY;
  if (addressOfKey(key) !== treasury) {
    throw new StartRefusal('PAYOUT_USDC_TREASURY_KEY is not the private key of PAYOUT_USDC_TREASURY');
  }
  const domain = {
    chainId: Number(network.slice('eip155:'.length)),
    asset,
    name: config.PAYOUT_USDC_ASSET_NAME,
    version: config.PAYOUT_USDC_ASSET_VERSION,
  };
  const facilitatorUrl = urlIn(config, egress, 'PAYOUT_USDC_FACILITATOR_URL').replace(/\/$/, '');
  return {
    network,
    domain,
    treasury,
    confirmations: wholeIn(config, 'PAYOUT_USDC_CONFIRMATIONS', 1, 1_000),
    validSeconds: wholeIn(config, 'PAYOUT_USDC_VALID_SECONDS', 60, 86_400),
    origin: new URL(config.PUBLIC_ORIGIN).origin,
    chain: createChain(egress, { rpcUrl: urlIn(config, egress, 'PAYOUT_USDC_RPC_URL') }),
    facilitator: createFacilitator(egress, {
      url: facilitatorUrl,
      token: config.PAYOUT_USDC_FACILITATOR_TOKEN,
    }),
    sign: (authorization) => signAuthorization(domain, authorization, key),
  };
}
