import { Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { send } from '../client/http';
import { list, type ItemOf } from '../client/queries';
import { IdBox } from '../features/operator/id-box';
import { Ask } from '../ui/ask';
import { ListTable } from '../ui/data-table';
import { formatCode } from '../ui/format';
import { Id } from '../ui/id';
import { Credits } from '../ui/money';
import { Page, Section } from '../ui/page';
import { Empty } from '../ui/states';
import { Time } from '../ui/time';

/** What an operator decides, the nearest deadline first, and the way to any account or agent. */
export function OperatorPage() {
  return (
    <Page title="Decisions" subtitle="Each decision needs a reason, which the audit log keeps.">
      <IdBox />
      <Disputes />
      <Slashes />
    </Page>
  );
}

function Disputes() {
  const query = useInfiniteQuery({
    ...list('/v1/operator/disputes', { query: { status: 'contested', limit: 25 } }),
    refetchInterval: 30_000,
  });
  const decide = (id: string, decision: 'buyer' | 'developer') => (reason: string) =>
    send('post', '/v1/operator/disputes/{dispute_id}/resolve', {
      path: { dispute_id: id },
      body: { decision, reason },
    });
  return (
    <Section title="Contested disputes">
      <ListTable<ItemOf<'/v1/operator/disputes'>>
        label="Contested disputes"
        query={query}
        keyOf={({ dispute_id: id }) => id}
        empty={<Empty title="Nothing to decide">Disputes appear here when a developer contests them.</Empty>}
        columns={[
          { title: 'Dispute', cell: (one) => <Id value={one.dispute_id} /> },
          { title: 'Opened', cell: (one) => <Time at={one.opened_at} ago /> },
          { title: 'Reason', cell: (one) => formatCode(one.reason) },
          { title: 'The buyer says', cell: (one) => one.description },
          { title: 'The developer says', cell: (one) => one.statement ?? '–' },
          {
            title: '',
            right: true,
            cell: (one) => (
              <Group gap={6} justify="flex-end" wrap="nowrap">
                <Ask
                  action="Refund"
                  question="The buyer gets the full charge back."
                  reason="Reason"
                  done="The buyer won."
                  run={decide(one.dispute_id, 'buyer')}
                />
                <Ask
                  action="Dismiss"
                  question="The developer keeps the earning."
                  reason="Reason"
                  done="The developer won."
                  run={decide(one.dispute_id, 'developer')}
                />
              </Group>
            ),
          },
        ]}
      />
    </Section>
  );
}

function Slashes() {
  const query = useInfiniteQuery({
    ...list('/v1/operator/slashes', { query: { status: 'contested', limit: 25 } }),
    refetchInterval: 30_000,
  });
  const decide = (id: string, decision: 'upheld' | 'overturned') => (reason: string) =>
    send('post', '/v1/operator/slashes/{slash_id}/resolve', {
      path: { slash_id: id },
      body: { decision, reason },
    });
  return (
    <Section title="Contested slashes">
      <ListTable<ItemOf<'/v1/operator/slashes'>>
        label="Contested slashes"
        query={query}
        keyOf={({ slash_id: id }) => id}
        empty={<Empty title="Nothing to decide">Slashes appear here when a developer answers them.</Empty>}
        columns={[
          { title: 'Slash', cell: (one) => <Id value={one.slash_id} /> },
          { title: 'Agent', cell: (one) => one.agent_id },
          { title: 'Explanation', cell: (one) => one.explanation },
          { title: 'The developer says', cell: (one) => one.counter_argument?.statement ?? '–' },
          { title: 'Credits', right: true, cell: (one) => <Credits value={one.credits} unit={false} /> },
          {
            title: '',
            right: true,
            cell: (one) => (
              <Group gap={6} justify="flex-end" wrap="nowrap">
                <Ask
                  action="Uphold"
                  danger
                  question="The slash becomes final and the buyers are refunded."
                  reason="Reason"
                  done="The slash is final."
                  run={decide(one.slash_id, 'upheld')}
                />
                <Ask
                  action="Overturn"
                  question="The bond gets the amount back."
                  reason="Reason"
                  done="The slash is overturned."
                  run={decide(one.slash_id, 'overturned')}
                />
              </Group>
            ),
          },
        ]}
      />
    </Section>
  );
}
