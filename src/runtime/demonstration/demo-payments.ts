/**
 * The sandbox of payments of `npm start -- --payments` (examples/payments): a local chain with a facilitator of x402,
 * and what the marketplace uses of Stripe. Its keys are published ones of local chains.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../processes/processes';
import { keepServer, type LocalServer } from './demo-agents';

export interface DemoPayments extends LocalServer {
  chainPort: number;
  stateFile: string;
}

const NETWORK = 'eip155:84532';
/** The first contract of the account that pays the fees of settlements. */
export const TOKEN = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
/** Receives the payments for calls. No key of it is needed. */
const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const TREASURY = {
  address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  key: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
};
const STRIPE = { secretKey: 'sk_test_sandbox', webhookSecret: 'whsec_sandbox' };

/** Prepares the address and the certificate of the sandbox. Throws where the local chain cannot run. */
export async function prepareDemoPayments(root: string, home: string): Promise<DemoPayments> {
  if (!existsSync(join(root, 'node_modules/.bin/anvil')))
    throw new Error('--payments needs the local chain anvil, which is installed on Linux with x64 only');
  return {
    ...(await keepServer(home, 'payments')),
    chainPort: await freePort(),
    stateFile: join(home, 'chain.json'),
  };
}

/** The environment of the sandbox. */
export function paymentsEnvironment(payments: DemoPayments, marketUrl: string): Record<string, string> {
  return {
    HOST: payments.host,
    PORT: String(payments.port),
    CHAIN_PORT: String(payments.chainPort),
    TLS_CERT_FILE: payments.certFile,
    TLS_KEY_FILE: payments.keyFile,
    STATE_FILE: payments.stateFile,
    MARKET_URL: marketUrl,
    NETWORK,
    TREASURY: TREASURY.address,
    STRIPE_SECRET_KEY: STRIPE.secretKey,
    STRIPE_WEBHOOK_SECRET: STRIPE.webhookSecret,
  };
}

/** The settings of a marketplace that takes payments by the sandbox: rupees without a page, as without it. */
export function settingsOfPayments({ url }: DemoPayments): Record<string, string> {
  return {
    PAYMENT_PROVIDER: 'sandbox:INR,stripe',
    STRIPE_API_URL: url,
    STRIPE_SECRET_KEY: STRIPE.secretKey,
    STRIPE_WEBHOOK_SECRETS: STRIPE.webhookSecret,
    X402: 'true',
    X402_NETWORK: NETWORK,
    X402_ASSET: TOKEN,
    X402_ASSET_NAME: 'USDC',
    X402_PAY_TO: PAY_TO,
    X402_FACILITATOR_URL: url,
    X402_RPC_URL: `${url}/rpc`,
    PAYOUT_USDC: 'true',
    PAYOUT_USDC_NETWORK: NETWORK,
    PAYOUT_USDC_ASSET: TOKEN,
    PAYOUT_USDC_ASSET_NAME: 'USDC',
    PAYOUT_USDC_TREASURY: TREASURY.address,
    PAYOUT_USDC_TREASURY_KEY: TREASURY.key,
    PAYOUT_USDC_FACILITATOR_URL: url,
    PAYOUT_USDC_RPC_URL: `${url}/rpc`,
    PAYOUT_USDC_CONFIRMATIONS: '1',
  };
}
