/** The rail for USDC payouts. It is either completely configured or off. */
import type { Config } from '../../config';
import type { Egress } from '../../egress/agent-call';
import { createChain, type Chain } from '../../egress/chain';
import { createFacilitator, type Facilitator } from '../../egress/facilitator';
import { checksummedAddress } from '../../kit/crypto/evm-address';
import {
  addressOfKey,
  type Authorization,
  signAuthorization,
  type TokenDomain,
} from '../../kit/crypto/usdc-authorization';

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

/** USDC as deployed by its issuer on Base. Other tokens there are not USDC. */
const BASE = { network: 'eip155:8453', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };
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
  const missing = NEEDED.filter((name) => !config[name]);
  if (missing.length > 0) throw new Error(`PAYOUT_USDC=true needs ${missing.join(', ')}`);
  const network = config.PAYOUT_USDC_NETWORK;
  const asset = addressIn(config, 'PAYOUT_USDC_ASSET');
  const treasury = addressIn(config, 'PAYOUT_USDC_TREASURY');
  if (network === BASE.network && asset !== BASE.asset) {
    throw new Error(`PAYOUT_USDC_ASSET is not USDC on PAYOUT_USDC_NETWORK=${network}`);
  }
  const key = config.PAYOUT_USDC_TREASURY_KEY;
  if (addressOfKey(key) !== treasury) {
    throw new Error('PAYOUT_USDC_TREASURY_KEY is not the private key of PAYOUT_USDC_TREASURY');
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

function addressIn(config: Config, name: 'PAYOUT_USDC_ASSET' | 'PAYOUT_USDC_TREASURY'): string {
  const address = checksummedAddress(config[name]);
  if (address === undefined) throw new Error(`${name} must be an EVM address`);
  return address;
}

function wholeIn(
  config: Config,
  name: 'PAYOUT_USDC_CONFIRMATIONS' | 'PAYOUT_USDC_VALID_SECONDS',
  least: number,
  most: number,
): number {
  const value = config[name];
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`${name} must be a whole number from ${least} to ${most}`);
}

/** A URL setting. It may contain a key, so error messages never include its value. */
function urlIn(
  config: Config,
  egress: Egress,
  name: 'PAYOUT_USDC_FACILITATOR_URL' | 'PAYOUT_USDC_RPC_URL',
): string {
  const verdict = egress.checkUrl(config[name]);
  if (!verdict.ok) throw new Error(`${name} may not be called: ${verdict.rule}`);
  return config[name];
}
