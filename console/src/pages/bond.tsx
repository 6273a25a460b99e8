import { Alert, Button, Card, Group, NumberInput, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../client/http';
import { get } from '../client/queries';
import { Slashes } from '../features/bonds/slashes';
import { Withdrawals } from '../features/bonds/withdrawals';
import { formatCode, formatCredits } from '../ui/format';
import { Credits } from '../ui/money';
import { Checking, FailedChange } from '../ui/lost-answer';
import { useMoneyMutation } from '../ui/money-mutation';
import { Figure, Page, Section } from '../ui/page';
import { QueryView } from '../ui/query-view';
import { Waiting } from '../ui/states';
import { Time } from '../ui/time';

export function BondPage() {
  const query = useQuery(get('/v1/billing/developer/bond'));
  return (
    <Page title="Bond" subtitle="A bond backs your badge. It pays buyers back if an operator slashes it.">
      <QueryView query={query} waiting={<Waiting lines={2} height={96} />}>
        {(bond) => (
          <>
            {bond.shortfall && (
              <Alert
                color="red"
                variant="light"
                title={`${formatCredits(bond.shortfall.missing_credits)} credits are missing`}
              >
                Top up by <Time at={bond.shortfall.top_up_by} />, or your agents leave the search.
              </Alert>
            )}
            <Group align="stretch">
              <Figure name="Bond" note={bond.tier ? `Tier ${formatCode(bond.tier)}` : 'No tier yet'}>
                <Credits value={bond.bond_credits} />
              </Figure>
              <Figure name="Held for slashes">
                <Credits value={bond.slash_hold_credits} />
              </Figure>
            </Group>
            <Text fz="sm" c="dimmed">
              {bond.tiers
                .map(
                  ({ tier, minimum_credits: least }) =>
                    `${formatCode(tier)} from ${formatCredits(least)} credits`,
                )
                .join(' · ')}
            </Text>
            {bond.withdrawals.length > 0 && <Withdrawals withdrawals={bond.withdrawals} />}
          </>
        )}
      </QueryView>
      <Move />
      <Slashes />
    </Page>
  );
}

function Move() {
  const queries = useQueryClient();
  const [credits, setCredits] = useState<number | string>('');
  const done = { onSuccess: () => queries.invalidateQueries() };
  const body = { credits: Number(credits) };
  const deposit = useMoneyMutation({
    place: 'bond-deposit',
    body,
    send: (sent, headers) => send('post', '/v1/billing/developer/bond/deposit', { body: sent, headers }),
  });
  const withdraw = useMutation({
    mutationFn: () => send('post', '/v1/billing/developer/bond/withdraw', { body }),
    ...done,
  });
  const error = deposit.error ?? withdraw.error;
  return (
    <Section title="Deposit or withdraw" note="A deposit comes from your wallet. A withdrawal takes 30 days.">
      <Card withBorder>
        <Group align="flex-end">
          <NumberInput label="Credits" value={credits} onChange={setCredits} min={1} hideControls w={180} />
          <Button onClick={() => deposit.mutate()} loading={deposit.isPending} disabled={credits === ''}>
            Deposit
          </Button>
          <Button
            variant="default"
            onClick={() => withdraw.mutate()}
            loading={withdraw.isPending}
            disabled={credits === ''}
          >
            Withdraw
          </Button>
        </Group>
        {deposit.isChecking && <Checking>The same deposit is sent again. It is taken at most once.</Checking>}
        {error && <FailedChange error={error} />}
      </Card>
    </Section>
  );
}
