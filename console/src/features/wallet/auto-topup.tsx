import { Alert, Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { get } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { FormModal } from '../../ui/form-modal';
import { formatCredits } from '../../ui/format';
import { Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Empty, problemOf } from '../../ui/states';
import { PaymentMethods } from './payment-methods';

const AUTO = get('/v1/billing/auto-topup');
type AutoTopup = Answer<'/v1/billing/auto-topup', 'get'>;

/** Tops up the wallet with a saved payment method when it is low, and the methods that the account has saved. */
export function AutoTopups() {
  const auto = useQuery(AUTO);
  return (
    <Stack gap="xl">
      <Section title="Automatic top-ups">
        <QueryView query={auto}>{(found) => <State key={found.status} auto={found} />}</QueryView>
      </Section>
      <PaymentMethods />
    </Stack>
  );
}

function State({ auto }: { auto: AutoTopup }) {
  if (auto.below_credits === null) {
    return (
      <Empty title="Automatic top-ups are off" action={<SetAuto auto={auto} />}>
        When the wallet is low, credits are bought with a saved payment method, within your limits of a day
        and a month.
      </Empty>
    );
  }
  const {
    status,
    below_credits: below,
    buy_credits: buy,
    max_per_day: perDay,
    max_per_month: perMonth,
  } = auto;
  const why =
    auto.stopped_for === 'method_ended'
      ? 'The payment method can no longer pay.'
      : 'Three automatic top-ups failed one after the other.';
  return (
    <Stack gap="sm" align="flex-start">
      {status === 'stopped' && (
        <Alert color="red" variant="light" title="Automatic top-ups have stopped">
          {why} Set them anew to start them again.
        </Alert>
      )}
      <Text>
        Below {formatCredits(below)} credits, buy {formatCredits(buy ?? 0)} credits
        {auto.method ? ` with ${auto.method.label}` : ''}: at most {perDay} a day and{' '}
        {formatCredits(perMonth ?? 0)} credits a month.
      </Text>
      <Text fz="sm" c="dimmed">
        {auto.topups_today} today, {formatCredits(auto.credits_this_month)} credits this month
        {auto.time_zone === null ? '' : `; days and months begin in ${auto.time_zone}`}.
      </Text>
      <Group gap="xs">
        <SetAuto auto={auto} />
        <Ask
          action="Turn off"
          danger
          question="The wallet is no longer topped up by itself."
          done="Automatic top-ups are off."
          run={() => send('delete', '/v1/billing/auto-topup')}
        />
      </Group>
    </Stack>
  );
}

const FIELDS = [
  ['below_credits', 'Top up when the wallet holds fewer credits than', 200],
  ['buy_credits', 'Credits of each top-up', 1_000],
  ['max_per_day', 'Most top-ups a day', 1],
  ['max_per_month', 'Most credits in a month', 5_000],
] as const;
type Field = (typeof FIELDS)[number][0];

function SetAuto({ auto }: { auto: AutoTopup }) {
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
        action="Save"
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
