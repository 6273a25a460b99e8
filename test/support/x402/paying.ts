/** A market that takes payments by x402 on the chain of the test, and callers that pay with x402's own client. */
import { randomBytes } from 'node:crypto';
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http';
import { x402Client } from '@x402/core/client';
import type { PaymentPayload } from '@x402/core/types';
import { toClientEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { NETWORK, type UsdcChain } from '../usdc/chain';
import type { TestFacilitator } from '../usdc/facilitator';

/** The address that receives the payments; no key of it is needed. */
export const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

export function x402Settings(chain: UsdcChain, facilitator: TestFacilitator): Record<string, string> {
  return {
    X402: 'true',
    X402_NETWORK: NETWORK,
    X402_ASSET: chain.asset,
    X402_ASSET_NAME: 'USDC',
    X402_PAY_TO: PAY_TO,
    X402_FACILITATOR_URL: facilitator.url,
    X402_RPC_URL: chain.rpc.url,
    X402_SETTLE_SECONDS: '3',
    RATE_LIMIT_X402: '1000',
    RATE_LIMIT_PER_ADDRESS: '10000',
  };
}

export interface Payer {
  account: PrivateKeyAccount;
  address: `0x${string}`;
  /** The fetch of x402's client: it pays what a 402 asks for. */
  fetch: typeof fetch;
  /** Signs the payment that a 402 asks for, and returns it as the client would send it. */
  sign: (answer: Response) => Promise<PaymentPayload>;
}

/** A new address with USDC, in smallest units; 1 credit is 10,000. */
export async function newPayer(chain: UsdcChain, minor = 10_000_000n): Promise<Payer> {
  const account = privateKeyToAccount(generatePrivateKey());
  if (minor > 0n) await chain.mint(account.address, minor);
  const scheme = new ExactEvmScheme(toClientEvmSigner(account));
  // Its default limits know the assets of real chains only.
  const client = x402Client.fromConfig({
    schemes: [{ network: NETWORK, client: scheme }],
    spendControls: false,
  });
  return {
    account,
    address: account.address,
    fetch: wrapFetchWithPayment(fetch, client),
    sign: (answer) => client.createPaymentPayload(requiredOf(answer)),
  };
}

/** A contract account with USDC, which signs by the key of its owner (ERC-1271). */
export async function newContractPayer(chain: UsdcChain, minor = 10_000_000n): Promise<Payer> {
  const account = privateKeyToAccount(generatePrivateKey());
  const address = await chain.deployWallet(account.address);
  if (minor > 0n) await chain.mint(address, minor);
  const scheme = new ExactEvmScheme({
    address,
    signTypedData: async (data) => {
      const signature = await account.signTypedData(data);
      return `0x01${signature.slice(2)}`;
    },
  });
  const client = x402Client.fromConfig({
    schemes: [{ network: NETWORK, client: scheme }],
    spendControls: false,
  });
  return {
    account,
    address,
    fetch: wrapFetchWithPayment(fetch, client),
    sign: (answer) => client.createPaymentPayload(requiredOf(answer)),
  };
}

export function requiredOf(answer: Response) {
  return decodePaymentRequiredHeader(answer.headers.get('payment-required') ?? '');
}

export function receiptOf(answer: Response) {
  const header = answer.headers.get('payment-response');
  return header === null ? undefined : decodePaymentResponseHeader(header);
}

export const headerOf = (payment: unknown): string => encodePaymentSignatureHeader(payment as PaymentPayload);

/** A request for a call; `payment`: its header. */
export function callOf(input: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ input }),
  };
}

export const paidWith = (payment: unknown) => ({ 'payment-signature': headerOf(payment) });

/** An id for the extension `payment-identifier`. */
export const identified = (payment: PaymentPayload, id: string): PaymentPayload => ({
  ...payment,
  extensions: { 'payment-identifier': { info: { required: false, id } } },
});

export const newIdentifier = (): string => `pay_${randomBytes(16).toString('hex')}`;
