/** Payments by x402 of callers without an account, for operators. */
import { Type } from '@sinclair/typebox';
import { X402_STATES } from '../domain/x402/payment-state';
import { AgentId, Credits, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { InvocationStatus } from './invocations';
import { defineOperation } from './operation';
import { oneOf } from './payouts';
import { X402Refund } from './x402';

const tag = 'Payments';
const operators = { auth: 'session', roles: ['operator'] } as const;

const State = named('X402PaymentState', oneOf(X402_STATES));
const PaymentId = text({ maxLength: 36, pattern: '^xpm_[0-9a-f]{32}$' });

const fields = {
  payment_id: Type.String({ examples: ['xpm_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
  state: State,
  reason: Nullable(Type.String({ description: 'Why its credits were taken back' })),
  payer: Type.String({ description: 'The paying address' }),
  user_id: Type.String({ description: 'The account of the paying address' }),
  network: Type.String({ description: 'CAIP-2 id of the chain' }),
  asset: Type.String({ description: 'The contract of the token' }),
  pay_to: Type.String({ description: 'The receiving address' }),
  amount_minor: Type.Integer({ description: 'In the smallest unit of the token: 1 USDC is 1,000,000' }),
  credits: Credits,
  identifier: Nullable(Type.String({ description: '`payment-identifier` of the caller' })),
  agent_id: AgentId,
  invocation_id: Nullable(
    Type.String({ description: 'The call that it pays, or paid last; null if none was accepted' }),
  ),
  transaction: Nullable(Type.String({ description: 'Hash of the transaction on the chain' })),
  created_at: Timestamp,
  sent_at: Nullable(Type.String({ ...Timestamp, description: 'When it was last sent to be settled' })),
  valid_before: Type.String({ ...Timestamp, description: 'Until when the authorization can be used' }),
  ended_at: Nullable(Timestamp),
};

const Payment = named('X402Payment', strictObject(fields));

const exampleFields = {
  payment_id: 'xpm_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  state: 'settled',
  reason: null,
  payer: '0x857b06519e91e3a54538791bdbb0e22373e36b66',
  user_id: 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  network: 'eip155:8453',
  asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  pay_to: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
  amount_minor: 100_000,
  credits: 10,
  identifier: null,
  agent_id: 'agt_csv_profiler_v1',
  invocation_id: 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  transaction: `0x${'4f'.repeat(32)}`,
  created_at: '2026-11-02T00:00:00.000Z',
  sent_at: '2026-11-02T00:00:01.000Z',
  valid_before: '2026-11-02T00:02:00.000Z',
  ended_at: '2026-11-02T00:00:03.000Z',
};

export const listX402Payments = defineOperation({
  id: 'listX402Payments',
  method: 'get',
  path: '/v1/operator/x402-payments',
  tag,
  summary: 'List payments by x402, newest first',
  description:
    '`held`: its call runs. `released`: its call ended uncharged and its credits were taken back; the chain may still use it until ' +
    '`valid_before`. `settled`: it is on the chain. `expired`: it was not used.',
  ...operators,
  query: strictObject({
    ...pageQuery,
    state: Type.Optional(State),
    address: Type.Optional(
      text({ maxLength: 42, pattern: '^0x[0-9a-fA-F]{40}$', description: 'The paying address' }),
    ),
    day: Type.Optional(
      text({
        maxLength: 10,
        pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
        format: 'instant',
        description: 'The UTC day on which it was made, such as `2026-11-02`',
      }),
    ),
  }),
  responses: { 200: page(Payment) },
});

export const getX402Payment = defineOperation({
  id: 'getX402Payment',
  method: 'get',
  path: '/v1/operator/x402-payments/{payment_id}',
  tag,
  summary: 'Get a payment by x402, with its call and the credits of its address',
  ...operators,
  params: strictObject({ payment_id: PaymentId }),
  responses: {
    200: named(
      'X402PaymentDetail',
      strictObject({
        ...fields,
        call_status: Nullable(InvocationStatus),
        charged_credits: Nullable(Credits),
        next_look_at: Nullable(
          Type.String({ ...Timestamp, description: 'When the worker reads the chain again' }),
        ),
        address_credits: Type.Number({ description: 'What is in the wallet of the paying address now' }),
        refunds: Type.Array(X402Refund, { description: 'Credits that were sent back to it: the latest 20' }),
      }),
    ),
  },
  errors: ['not_found'],
  examples: {
    response: {
      ...exampleFields,
      call_status: 'succeeded',
      charged_credits: 10,
      next_look_at: null,
      address_credits: 0,
      refunds: [],
    },
  },
});

export const operatorX402Operations = [listX402Payments, getX402Payment];
