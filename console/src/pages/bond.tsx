import { Alert, Button, Card, Group, NumberInput, Text } from '@mantine/core';
import { useMutation, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../client/http';
import { get, list, type ItemOf } from '../client/queries';
import { Ask } from '../ui/ask';
import { ListTable } from '../ui/data-table';
import { formatCode, formatCredits } from '../ui/format';
import { Credits } from '../ui/money';
import { Figure, Page, Section } from '../ui/page';
import { QueryView } from '../ui/query-view';
import { Empty, Failure, Waiting } from '../ui/states';
import { Status } from '../ui/status';
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
  const deposit = useMutation({
    mutationFn: () => send('post', '/v1/billing/developer/bond/deposit', { body }),
    ...done,
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
        {error && <Failure error={error} />}
      </Card>
    </Section>
  );
}

function Slashes() {
  const query = useInfiniteQuery(list('/v1/billing/developer/slashes', { query: { limit: 25 } }));
  const counter = (id: string) => (statement: string) =>
    send('post', '/v1/billing/developer/slashes/{slash_id}/counter-argument', {
      path: { slash_id: id },
      body: { statement },
    });
  return (
    <Section
      title="Slashes"
      note="You have seven days to answer a slash. Without an answer it becomes final."
    >
      <ListTable<ItemOf<'/v1/billing/developer/slashes'>>
        label="Slashes"
        query={query}
        keyOf={({ slash_id: id }) => id}
        empty={<Empty title="No slashes" />}
        columns={[
          { title: 'Applied', cell: (one) => <Time at={one.applied_at} /> },
          { title: 'Agent', cell: (one) => one.agent_id },
          { title: 'State', cell: (one) => <Status value={one.status} /> },
          {
            title: 'Because',
            cell: (one) => (
              <Text fz="sm" className="clamp">
                {one.explanation}
              </Text>
            ),
          },
          {
            title: 'Answer by',
            cell: (one) => (one.status === 'applied' ? <Time at={one.counter_by} ago /> : '–'),
          },
          { title: 'Credits', right: true, cell: (one) => <Credits value={one.credits} unit={false} /> },
          {
            title: '',
            right: true,
            cell: (one) =>
              one.status === 'applied' && (
                <Ask
                  action="Answer"
                  question={one.explanation}
                  reason="Your counter-argument"
                  done="Your answer is with the operators."
                  run={counter(one.slash_id)}
                />
              ),
          },
        ]}
      />
    </Section>
  );
}
