/** A payout with its statement: as JSON, in pages, and as files. */
import { Type } from '@sinclair/typebox';
import { Credits, named, page, pageQuery, strictObject, Timestamp } from './common';
import { defineOperation } from './operation';
import { oneOf, payoutFields, payoutParams } from './payouts';

const tag = 'Payouts';
const auth = { scope: 'billing:read' } as const;
const roles = ['developer'] as const;

const StatementLine = named(
  'StatementLine',
  strictObject({
    type: oneOf(['invocation_earning', 'payout_remainder', 'payout_returned']),
    invocation_id: Type.Optional(Type.String()),
    agent_id: Type.Optional(Type.String()),
    payout_id: Type.Optional(Type.String({ description: 'The payout that was returned' })),
    gross_credits: Credits,
    fee_credits: Credits,
    taken_back_credits: Type.Number({ description: 'Amount returned in disputes before the payout' }),
    credits: Type.Number({ description: 'Negative for an amount carried over to the next payout' }),
    at: Timestamp,
  }),
);

export const getPayout = defineOperation({
  id: 'getPayout',
  method: 'get',
  path: '/v1/billing/developer/payouts/{payout_id}',
  tag,
  summary: 'Get a payout with its statement',
  description:
    'The statement has one line per invocation; the credits of all lines add up to the credits of the ' +
    'payout. A payout that rolled over took nothing, so it has no lines; `credits` is what waits. The response has the first 1,000 lines; `/lines` has all in pages, and so has the CSV in one file.',
  auth,
  roles,
  params: payoutParams,
  responses: {
    200: strictObject({
      ...payoutFields,
      statement: strictObject({ lines: Type.Array(StatementLine), total_lines: Type.Integer() }),
    }),
  },
  errors: ['not_found'],
});

export const listPayoutLines = defineOperation({
  id: 'listPayoutLines',
  method: 'get',
  path: '/v1/billing/developer/payouts/{payout_id}/lines',
  tag,
  summary: 'List the lines of the statement of a payout',
  description:
    'Earnings by the time at which they matured, then amounts that came from an earlier payout or go to the next one.',
  auth,
  roles,
  params: payoutParams,
  query: strictObject(pageQuery),
  responses: { 200: page(StatementLine) },
  errors: ['not_found'],
});

const statement = (format: 'csv' | 'pdf', mediaType: string) =>
  defineOperation({
    id: format === 'csv' ? 'getPayoutStatementCsv' : 'getPayoutStatementPdf',
    method: 'get',
    path: `/v1/billing/developer/payouts/{payout_id}/statement.${format}`,
    tag,
    summary: `Download the statement of a payout as ${format.toUpperCase()}`,
    auth,
    roles,
    params: payoutParams,
    responses: { 200: { mediaType, description: 'The statement' } },
    errors: ['not_found'],
  });
export const getPayoutStatementCsv = statement('csv', 'text/csv');
export const getPayoutStatementPdf = statement('pdf', 'application/pdf');

export const payoutStatementOperations = [
  getPayout,
  listPayoutLines,
  getPayoutStatementCsv,
  getPayoutStatementPdf,
];
