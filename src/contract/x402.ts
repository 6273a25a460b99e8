/** The credits of an address that pays by x402, by a statement that it signs (docs/pay-per-call.md). */
import { Type } from '@sinclair/typebox';
import { TRANSFER_STATES } from '../domain/payouts/transfer';
import { Credits, named, Nullable, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';
import { oneOf } from './payouts';

const tag = 'Billing';

/** The header of an address that acts on its credits. */
export const signInHeaders = {
  'SIGN-IN-WITH-X': Type.Optional(
    Type.String({
      description:
        'A statement of x402 sign-in-with-x (JSON in base64): a message of EIP-4361 for this address of the marketplace, ' +
        'signed by the paying address, used once and valid for at most 10 minutes',
    }),
  ),
};

/** The headers of a caller without an account, who pays for the call (docs/pay-per-call.md). */
export const visitorHeaders = {
  ...signInHeaders,
  'PAYMENT-SIGNATURE': Type.Optional(
    Type.String({
      description:
        'A payment of x402 version 2 (JSON in base64) for a call without credentials, as the header PAYMENT-REQUIRED of a 402 asks for it; only while the marketplace takes such payments',
    }),
  ),
};

export const X402Refund = named(
  'X402Refund',
  strictObject({
    refund_id: text({ maxLength: 40, pattern: '^xrf_[0-9a-f]{32}$' }),
    credits: Credits,
    pay_to: Type.String({ description: 'The paying address' }),
    network: Type.String({ description: 'CAIP-2 id of the chain' }),
    status: oneOf(TRANSFER_STATES),
    reason: Nullable(Type.String({ description: 'Why it waits or failed; credits of a failed one return' })),
    transaction: Nullable(Type.String({ description: 'Hash of its transaction' })),
    created_at: Timestamp,
    ended_at: Nullable(Timestamp),
  }),
);

export const exampleRefund = {
  refund_id: 'xrf_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  credits: 4,
  pay_to: '0x857b06519e91e3a54538791bdbb0e22373e36b66',
  network: 'eip155:8453',
  status: 'pending',
  reason: null,
  transaction: null,
  created_at: '2026-11-28T10:00:00.000Z',
  ended_at: null,
};

export const getPayerAccount = defineOperation({
  id: 'getPayerAccount',
  permission: 'view',
  method: 'get',
  path: '/v1/x402/account',
  tag,
  summary: 'Read the credits of a paying address',
  description:
    'For an address that has paid a call by x402, which signs in by the header `SIGN-IN-WITH-X`; 409 for any other account. Its credits are what metered ' +
    'calls did not cost, what failed calls left of payments that arrived, and refunds of disputes.',
  auth: { scope: 'billing:read' },
  bySignedStatement: true,
  headers: strictObject(signInHeaders),
  responses: {
    200: named(
      'X402Account',
      strictObject({
        user_id: Type.String(),
        address: Type.String(),
        credits: Credits,
        payment_open: Type.Boolean({
          description: 'A payment of the address is being settled; its credits can be spent afterwards',
        }),
        refunds: Type.Array(X402Refund, { description: 'The latest 20' }),
      }),
    ),
  },
  errors: ['invalid_header', 'invalid_state', 'not_ready', 'rate_limited'],
  examples: {
    response: {
      user_id: 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      address: exampleRefund.pay_to,
      credits: 4,
      payment_open: false,
      refunds: [],
    },
  },
});

export const refundPayer = defineOperation({
  id: 'refundPayer',
  permission: 'money',
  method: 'post',
  path: '/v1/x402/refunds',
  tag,
  summary: 'Send credits back to a paying address',
  description:
    'Sends credits to the address that paid them, in USDC on its chain, all of them by default. Only this address can ask for it, by ' +
    'the header `SIGN-IN-WITH-X`, and only to it they are sent. 409 if the marketplace sends nothing back, or while a payment of the ' +
    'address is being settled.',
  auth: 'session',
  bySignedStatement: true,
  headers: strictObject(signInHeaders),
  body: strictObject({
    credits: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 90_000_000_000,
        description: 'At most 2 decimals; default: all',
      }),
    ),
  }),
  responses: { 202: X402Refund },
  errors: [
    'invalid_header',
    'insufficient_credits',
    'forbidden',
    'invalid_state',
    'not_ready',
    'rate_limited',
  ],
  examples: { request: { credits: 4 }, response: exampleRefund },
});

export const x402Operations = [getPayerAccount, refundPayer];
