import { Button, NumberInput, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { FormModal } from '../../ui/form-modal';
import { useOwnerWords } from '../../ui/owner';
import { problemOf } from '../../ui/states';

export type AutoTopup = Answer<'/v1/billing/auto-topup', 'get'>;

const FIELDS = [
  ['below_credits', 'Top up when the wallet holds fewer credits than', 200],
  ['buy_credits', 'Credits of each top-up', 1_000],
  ['max_per_day', 'Most top-ups a day', 1],
  ['max_per_month', 'Most credits in a month', 5_000],
] as const;
type Field = (typeof FIELDS)[number][0];

/** Sets below which balance credits are bought, how many, and within which limits. */
export function SetAuto({ auto }: { auto: AutoTopup }) {
  const { of: ofOwner } = useOwnerWords();
  const of = ofOwner === '' ? '' : ` for the wallet${ofOwner}`;
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [values, setValues] = useState(
    Object.fromEntries(FIELDS.map(([name, , usual]) => [name, auto[name] ?? usual])) as Record<
      Field,
      number | string
    >,
  );
  const mutation = useMutation({
    mutationFn: () =>
      send('put', '/v1/billing/auto-topup', {
        body: {
          below_credits: Number(values.below_credits),
          buy_credits: Number(values.buy_credits),
          max_per_day: Number(values.max_per_day),
          max_per_month: Number(values.max_per_month),
        },
      }),
    onSuccess: () => {
      close();
      return queries.invalidateQueries({ queryKey: ['/v1/billing/auto-topup'] });
    },
  });
  return (
    <>
      <Button variant="default" onClick={open}>
        {auto.status === 'off' ? 'Set automatic top-ups' : 'Change'}
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title="Automatic top-ups"
        action={`Save${of}`}
        mutation={mutation}
        fields={FIELDS.map(([name]) => name)}
      >
        {FIELDS.map(([name, label], at) => (
          <NumberInput
            key={name}
            label={label}
            value={values[name]}
            onChange={(value) => setValues({ ...values, [name]: value })}
            error={problemOf(mutation.error, name)}
            min={1}
            allowDecimal={false}
            hideControls
            required
            {...(at === 0 && { 'data-autofocus': true })}
          />
        ))}
        <Text fz="sm" c="dimmed">
          The newest saved payment method pays. A failed top-up is told by mail; after three, they stop.
        </Text>
      </FormModal>
    </>
  );
}
