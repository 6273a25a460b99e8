import type { ItemOf } from '../../client/queries';

type Reason = ItemOf<'/v1/billing/disputes'>['reason'];

/** Why a call is disputed, in the words in which the buyer chooses it. */
const REASONS: Readonly<Record<Reason, string>> = {
  output_incorrect: 'The output is wrong',
  no_response: 'There was no answer',
  schema_violation: 'The output breaks its schema',
  unauthorized: 'The buyer did not make this call',
  other: 'Another reason',
};

export const REASON_CHOICES = (Object.keys(REASONS) as Reason[]).map((value) => ({
  value,
  label: value === 'unauthorized' ? 'I did not make this call' : REASONS[value],
}));

export const reasonText = (reason: Reason): string => REASONS[reason];
