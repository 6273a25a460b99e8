/** Warranties as buyers see them (docs/warranty.md). */
import { Type } from '@sinclair/typebox';
import { WARRANTY_LIMITS, WARRANTY_OUTCOMES, type WarrantyOutcome } from '../domain/bonds/warranty';
import { Credits, named, Nullable, strictObject } from './common';

const Share = (description: string) =>
  Type.Optional(Type.Number({ minimum: WARRANTY_LIMITS.leastShare, maximum: 1, description }));

export const Warranty = named(
  'Warranty',
  strictObject(
    {
      success_rate: Share('The least share of paid calls without an error of the agent'),
      p95_ms: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: WARRANTY_LIMITS.p95Ms,
          description: 'The longest 95th percentile of the durations of successful calls',
        }),
      ),
      uptime: Share('The least share of paid calls for which the agent was reached and answered in time'),
      remedy_percent: Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'The part of what a broken month has cost each buyer that the bond pays back',
      }),
    },
    {
      description:
        'A promise about each calendar month, which the bond of the developer pays for (docs/warranty.md)',
    },
  ),
);

const Count = Type.Integer({ minimum: 0 });
const Measured = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

export const WarrantyFigures = named(
  'WarrantyFigures',
  strictObject(
    {
      calls: Count,
      buyers: Count,
      failed: Count,
      success_rate: Measured('Of these calls, without an error of the agent'),
      uptime: Measured('Of these calls, for which the agent was reached and answered in time'),
      p95_ms: Nullable(Count),
      remedy_credits: Type.Optional(Credits),
    },
    {
      description:
        'Paid calls of the month by buyers who are not related to the developer. `remedy_credits`: of a broken month, before the bond limits it',
    },
  ),
);

/** The warranty of a listing, with its history in short. */
export const ListingWarranty = named(
  'ListingWarranty',
  strictObject(
    {
      ...Warranty.properties,
      months_kept: Count,
      months_broken: Count,
    },
    { description: 'The warranty of the agent, while its developer has a bond; null for none' },
  ),
);

export const WarrantyMonths = Type.Array(
  named(
    'WarrantyMonth',
    strictObject({
      month: Type.String({ description: 'In UTC, such as 2026-11' }),
      outcome: Type.Unsafe<WarrantyOutcome>({
        type: 'string',
        enum: [...WARRANTY_OUTCOMES],
        description: '`few_calls`: below 100 paid calls or 10 unrelated buyers, which prove nothing',
      }),
      warranty: Warranty,
      figures: WarrantyFigures,
      remedy: Nullable(
        Type.String({
          description:
            'The status of the slash that pays the remedy of a broken month; null if there was nothing to pay',
        }),
      ),
    }),
  ),
  {
    maxItems: WARRANTY_LIMITS.months,
    description:
      'The months in which the agent had a warranty, newest first; also of one that it no longer gives',
  },
);
