import { bool, num, str } from 'envalid';
import { PAYOUTS } from './config-payouts';

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

/** Settings of calls that are paid by x402, without an account (docs/pay-per-call.md). */
export const X402 = {
  X402: bool({
    default: false,
    desc: 'Let programs without an account pay for a call in USDC (x402); when off, calls need an account',
  }),
  X402_NETWORK: str({
    choices: ['eip155:8453', 'eip155:84532'],
    default: 'eip155:8453',
    desc: 'CAIP-2 id of the chain on which calls are paid: Base, or its test network',
  }),
  X402_ASSET: str({
    default: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    desc: 'Address of the USDC contract on X402_NETWORK',
  }),
  X402_ASSET_NAME: str({ default: 'USD Coin', desc: 'Name of that token in its EIP-712 domain' }),
  X402_ASSET_VERSION: str({ default: '2', desc: 'Version of that token in its EIP-712 domain' }),
  X402_PAY_TO: str({ default: '', desc: 'Address that receives the payments for calls' }),
  X402_FACILITATOR_URL: str({
    default: '',
    desc: 'URL of the x402 facilitator that verifies and settles payments for calls',
  }),
  X402_FACILITATOR_TOKEN: str({ default: '', desc: 'Bearer token for that facilitator; empty for none' }),
  X402_RPC_URL: str({
    default: '',
    desc: 'JSON-RPC URL of a node of X402_NETWORK, which says whether a payment arrived',
  }),
  X402_CONFIRMATIONS: num({
    default: 1,
    desc: 'Blocks, with that of the payment, before a call counts as paid and its answer is given',
  }),
  X402_SETTLE_SECONDS: num({
    default: 20,
    desc: 'How long a finished call waits for its payment to arrive, at most 25; then it fails and is free',
  }),
  RATE_LIMIT_X402: num({
    default: 30,
    desc: 'Payments per minute that an address without an account may send, and as many of a paying address',
  }),
};

/** Settings of money that leaves, and of money that comes in without an account. */
export const MONEY = { ...PAYOUTS, ...USDC, ...X402 };
