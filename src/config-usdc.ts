import { bool, num, str } from 'envalid';

/** Settings of payouts in USDC (docs/payouts.md). */
export const USDC = {
  PAYOUT_USDC: bool({
    default: false,
    desc: 'Pay out in USDC; when off, earnings for an on-chain address are paid by the default method',
  }),
  PAYOUT_USDC_NETWORK: str({
    choices: ['eip155:8453', 'eip155:84532'],
    default: 'eip155:8453',
    desc: 'CAIP-2 id of the chain: Base, or its test network',
  }),
  PAYOUT_USDC_ASSET: str({
    default: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    desc: 'Address of the USDC contract',
  }),
  PAYOUT_USDC_ASSET_NAME: str({ default: 'USD Coin', desc: 'Name of the token in its EIP-712 domain' }),
  PAYOUT_USDC_ASSET_VERSION: str({ default: '2', desc: 'Version of the token in its EIP-712 domain' }),
  PAYOUT_USDC_TREASURY: str({ default: '', desc: 'Address of the paying treasury' }),
  PAYOUT_USDC_TREASURY_KEY: str({
    default: '',
    desc: 'Private key of the treasury: 0x and 64 hexadecimal digits',
  }),
  PAYOUT_USDC_FACILITATOR_URL: str({
    default: '',
    desc: 'URL of the x402 facilitator that settles transfers',
  }),
  PAYOUT_USDC_FACILITATOR_TOKEN: str({
    default: '',
    desc: 'Bearer token for the facilitator; empty for none',
  }),
  PAYOUT_USDC_RPC_URL: str({ default: '', desc: 'JSON-RPC URL of a node' }),
  PAYOUT_USDC_CONFIRMATIONS: num({ default: 12, desc: 'Confirmations before a transfer counts as final' }),
  PAYOUT_USDC_VALID_SECONDS: num({ default: 3_600, desc: 'Validity of a signed transfer' }),
};
