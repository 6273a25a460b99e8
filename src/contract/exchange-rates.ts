import { Type, type TLiteral } from '@sinclair/typebox';
import { FETCH_OUTCOMES, RATE_CURRENCIES, type RateCurrency } from '../domain/payouts/exchange-rate';
import { named, Nullable, page, pageQuery, strictObject, Timestamp } from './common';
import { defineOperation } from './operation';

const tag = 'Payouts';
const operators = { auth: 'session', roles: ['operator'] } as const;
/** US dollars, and the currency of which the rate has so many units for one. */
export const Pair = named(
  'RatePair',
  Type.Union(
    RATE_CURRENCIES.map((currency) => Type.Literal(`USD/${currency}`)) as unknown as [
      TLiteral<`USD/${RateCurrency}`>,
    ],
  ),
);
const Outcome = named(
  'RateOutcome',
  Type.Union(
    FETCH_OUTCOMES.map((outcome) => Type.Literal(outcome)) as unknown as [
      TLiteral<(typeof FETCH_OUTCOMES)[number]>,
    ],
    {
      description:
        'loaded: a new rate was stored; unchanged: the source had no new rate, as on weekends; stale: the ' +
        'latest rate of the source is older than six days; rejected: the rate failed a plausibility check, ' +
        'see `reason`; failed: the source gave no usable answer',
    },
  ),
);

const ExchangeRate = named(
  'ExchangeRate',
  strictObject({
    pair: Pair,
    rate: Type.String({ description: 'Spot rate: units of the currency for one dollar, as decimal text' }),
    observed_at: Timestamp,
    source: Type.String(),
    loaded_by: Type.String({ description: 'User id of an operator, or `source:<name>`' }),
    loaded_at: Timestamp,
  }),
);

const RateFetch = named(
  'RateFetch',
  strictObject({
    fetch_id: Type.String({ examples: ['fxf_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
    source: Type.String({ examples: ['ecb'] }),
    outcome: Outcome,
    reason: Nullable(
      Type.String({
        description:
          'old_date; future_date, implausible, contradicts; unreachable, timeout, tls, redirect, too_large, bad_response, …',
      }),
    ),
    message: Nullable(Type.String()),
    rate: Nullable(
      Type.String({ description: 'The rate that the source gave, even when it was not stored' }),
    ),
    observed_at: Nullable(Timestamp),
    first_at: Timestamp,
    last_at: Timestamp,
    times: Type.Integer({ minimum: 1, description: 'Number of consecutive fetches with this outcome' }),
  }),
);

export const listExchangeRates = defineOperation({
  id: 'listExchangeRates',
  method: 'get',
  path: '/v1/operator/exchange-rates',
  tag,
  summary: 'List exchange rates, latest first',
  description:
    "A Monday's rupee payouts use the latest rate of the week before it. Top-ups in EUR and GBP use the latest rate of the " +
    'last seven days. Without `pair`, lists those of USD/INR.',
  ...operators,
  query: strictObject({ ...pageQuery, pair: Type.Optional(Pair) }),
  responses: { 200: page(ExchangeRate) },
  examples: {
    response: {
      items: [
        {
          pair: 'USD/INR',
          rate: '84.123456',
          observed_at: '2026-11-20T13:15:00.000Z',
          source: 'ecb',
          loaded_by: 'source:ecb',
          loaded_at: '2026-11-20T15:00:01.000Z',
        },
      ],
      next_cursor: null,
      total: 1,
    },
  },
});

export const listRateFetches = defineOperation({
  id: 'listRateFetches',
  method: 'get',
  path: '/v1/operator/exchange-rates/fetches',
  tag,
  summary: 'List fetches from the exchange rate source, newest first',
  description:
    'Empty when FX_SOURCE is not set. Consecutive fetches with the same outcome are counted in one row.',
  ...operators,
  query: strictObject(pageQuery),
  responses: { 200: page(RateFetch) },
});

export const exchangeRateOperations = [listExchangeRates, listRateFetches];
