/** Statements of an account by month. */
import { Type } from '@sinclair/typebox';
import { MONTH_PATTERN } from '../domain/billing/statement';
import { Credits, named, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const tag = 'Billing';
const auth = { scope: 'billing:read' } as const;
const params = strictObject({
  month: text({ maxLength: 7, pattern: MONTH_PATTERN, description: 'A month in UTC, such as `2026-11`' }),
});
const Amount = Type.Number({
  description: 'Positive for a credit, negative for a debit; at most 2 decimals',
});

export const AccountStatement = named(
  'AccountStatement',
  strictObject(
    {
      month: Type.String({ examples: ['2026-11'] }),
      from: Timestamp,
      until: Timestamp,
      closed: Type.Boolean({
        description: 'Whether nothing can be added any more: from a day after its end',
      }),
      opening_credits: Credits,
      closing_credits: Credits,
      lines: Type.Array(
        strictObject({
          type: Type.String({
            description:
              'topup, topup_reversal, registration_fee, invocation_charge, dispute_refund, bond_deposit, bond_release, ' +
              'slash_refund, x402_payment or x402_refund',
          }),
          description: Type.String(),
          count: Type.Integer(),
          credits: Amount,
        }),
        {
          description: 'What moved, by kind: the opening balance and all lines add up to the closing balance',
        },
      ),
      documents: Type.Array(
        strictObject({
          kind: Type.Union([Type.Literal('invoice'), Type.Literal('credit'), Type.Literal('debit')]),
          id: Type.String(),
          number: Type.String(),
          issued_at: Timestamp,
          amount_minor: Type.Integer(),
          tax_minor: Type.Integer(),
          currency: Type.String(),
          credits: Credits,
        }),
        { description: 'The invoices and notes of the month, the oldest first, at most 1,000' },
      ),
      documents_cut: Type.Optional(Type.Literal(true, { description: 'There are more than 1,000' })),
    },
    { description: 'Balances include the credits that are held for running calls' },
  ),
);

export const getAccountStatement = defineOperation({
  id: 'getAccountStatement',
  method: 'get',
  path: '/v1/billing/statements/{month}',
  tag,
  summary: 'Get the statement of a month',
  description:
    'A movement is in the month in which it was posted, in UTC. 404 for months before the account and for those to come.',
  auth,
  params,
  responses: { 200: AccountStatement },
  errors: ['not_found'],
  examples: {
    response: {
      month: '2026-11',
      from: '2026-11-01T00:00:00.000Z',
      until: '2026-12-01T00:00:00.000Z',
      closed: true,
      opening_credits: 120,
      closing_credits: 570,
      lines: [
        { type: 'invocation_charge', description: 'Calls', count: 12, credits: -50 },
        { type: 'topup', description: 'Top-ups', count: 1, credits: 500 },
      ],
      documents: [
        {
          kind: 'invoice',
          id: 'ivc_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
          number: 'INV-2026-000042',
          issued_at: '2026-11-02T00:00:00.000Z',
          amount_minor: 595,
          tax_minor: 95,
          currency: 'USD',
          credits: 500,
        },
      ],
    },
  },
});

const file = (format: 'csv' | 'pdf', mediaType: string) =>
  defineOperation({
    id: format === 'csv' ? 'getAccountStatementCsv' : 'getAccountStatementPdf',
    method: 'get',
    path: `/v1/billing/statements/{month}/statement.${format}`,
    tag,
    summary: `Download the statement of a month as ${format.toUpperCase()}`,
    auth,
    params,
    responses: { 200: { mediaType, description: 'The statement' } },
    errors: ['not_found'],
  });
export const getAccountStatementCsv = file('csv', 'text/csv');
export const getAccountStatementPdf = file('pdf', 'application/pdf');

export const statementOperations = [getAccountStatement, getAccountStatementCsv, getAccountStatementPdf];
