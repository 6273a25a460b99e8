import { Alert, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { send } from '../../client/http';
import { get } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { formatCredits } from '../../ui/format';
import { Permitted } from '../../ui/owner';
import { Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Empty } from '../../ui/states';
import { PaymentMethods } from './payment-methods';
import { SetAuto, type AutoTopup } from './set-auto-topup';

const AUTO = get('/v1/billing/auto-topup');

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
      <Empty
        title="Automatic top-ups are off"
        action={
          <Permitted needs="money">
            <SetAuto auto={auto} />
          </Permitted>
        }
      >
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
      <Permitted needs="money">
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
      </Permitted>
    </Stack>
  );
}
