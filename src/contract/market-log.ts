import { Type } from '@sinclair/typebox';
import { LIABILITY_KINDS, SERVICE_KINDS } from '../domain/ledger/market-log';
import { named, page, pageQuery, strictObject, Timestamp } from './common';
import { defineOperation } from './operation';

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Units = Type.Integer({ description: '1/100 credit' });
const Day = Type.String({ description: 'UTC day', examples: ['2026-11-20'] });
const Seal = Type.String({
  description: 'Compact JWS (ES256, `typ` `market-log`), verifiable with /.well-known/jwks.json',
});

const Owed = named(
  'OwedOfKind',
  strictObject(
    { units: Units, root_sha256: Sha256 },
    { description: 'The root of the sum tree over all accounts of one kind' },
  ),
);

const eachOf = <K extends string, S extends typeof Owed | typeof Units>(kinds: readonly K[], schema: S) =>
  strictObject(Object.fromEntries(kinds.map((kind) => [kind, schema])) as Record<K, S>);

const MarketLogDay = named(
  'MarketLogDay',
  strictObject({
    day: Day,
    owed: eachOf(LIABILITY_KINDS, Owed),
    service: eachOf(SERVICE_KINDS, Units),
    ledger_sha256: Type.String({ description: "The digest of the day's entries in the ledger" }),
    previous_sha256: Type.String({
      description: '`statement_sha256` of the preceding day; zeros for the first day',
    }),
    statement_sha256: Type.String({ description: "SHA-256 of the seal's payload" }),
    seal: Seal,
    published_at: Timestamp,
  }),
);

export const getMarketLog = defineOperation({
  id: 'getMarketLog',
  method: 'get',
  path: '/.well-known/market-log',
  tag: 'Evidence',
  summary: 'List what the marketplace owed at the end of each day, newest first',
  description:
    'Each sealed UTC day has a signed statement, chained to the one before: the roots of the sum trees over the balances ' +
    "of all owners, and the balances of the service's own accounts. All of them together are 0. Keep a copy: a day that " +
    'is replaced or dropped later no longer matches it.',
  auth: 'public',
  query: strictObject(pageQuery),
  responses: { 200: page(MarketLogDay) },
});

const PathNode = named(
  'SumTreeNode',
  strictObject({
    side: Type.Union([Type.Literal('left'), Type.Literal('right')]),
    units: Units,
    sha256: Sha256,
  }),
);

const ProvenBalance = named(
  'ProvenBalance',
  strictObject({
    kind: Type.Union(LIABILITY_KINDS.map((kind) => Type.Literal(kind))),
    units: Units,
    blind: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Only you have it. It hides your leaf' }),
    path: Type.Array(PathNode, {
      description: 'The nodes beside the way from your leaf to the root, from below',
    }),
  }),
);

export const getBalanceProof = defineOperation({
  id: 'getBalanceProof',
  permission: 'view',
  method: 'get',
  path: '/v1/billing/proof',
  tag: 'Billing',
  summary: 'Get the proof that your balances are part of what the marketplace says it owes',
  description:
    'Of the last day in /.well-known/market-log: each balance of the owner for whom the request acts that was not 0 at ' +
    'the end of the day, with the path from its leaf to the published root. Earlier days cannot be proven any more, so ' +
    'keep what you get. Responds with 404 before the first day is published.',
  auth: { scope: 'billing:read' },
  responses: {
    200: named(
      'BalanceProof',
      strictObject({
        day: Day,
        owner: Type.String({ description: 'The id that is part of each leaf' }),
        balances: Type.Array(ProvenBalance),
        statement_sha256: Sha256,
        seal: Seal,
      }),
    ),
  },
});

export const marketLogOperations = [getMarketLog, getBalanceProof];
