import { NativeSelect, NumberInput } from '@mantine/core';
import type { ItemOf } from '../../client/queries';
import { problemOf } from '../../ui/states';
import { WINDOWS } from './windows';

/** The budget of a key or a grant: credits, and what they are for. */
export interface Budget {
  /** As the field has it: empty for no budget. */
  cap: number | string;
  window: string;
}

/** The budget as the API takes it. */
export const budgetBody = ({ cap, window }: Budget) => ({
  credit_cap: cap === '' ? null : Number(cap),
  credit_cap_window: window as ItemOf<'/v1/oauth/grants'>['credit_cap_window'],
});

/** The fields of the API that the two fields show the problems of. */
export const BUDGET_FIELDS = ['credit_cap', 'credit_cap_window'];

interface BudgetProps {
  value: Budget;
  onChange: (value: Budget) => void;
  /** What the API refused. */
  error: unknown;
  description: string;
  label?: string;
  /** The field has the focus when its dialogue opens. */
  isFirst?: boolean;
}

/** How much a key, a program or an application may spend, and in which time. */
export function BudgetFields({
  value,
  onChange,
  error,
  description,
  label = 'Budget in credits',
  isFirst = false,
}: BudgetProps) {
  return (
    <>
      <NumberInput
        label={label}
        description={description}
        value={value.cap}
        onChange={(cap) => onChange({ ...value, cap })}
        error={problemOf(error, 'credit_cap')}
        min={0}
        allowDecimal={false}
        hideControls
        {...(isFirst && { 'data-autofocus': true })}
      />
      <NativeSelect
        label={label === 'Credit cap' ? 'The cap is for' : 'The budget is for'}
        data={WINDOWS}
        value={value.window}
        onChange={(event) => onChange({ ...value, window: event.currentTarget.value })}
        error={problemOf(error, 'credit_cap_window')}
      />
    </>
  );
}
