import { Card, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../client/http';
import { get } from '../../client/queries';
import { DataTable } from '../../ui/data-table';
import { formatCode, formatDuration, formatSurface, formatWhole } from '../../ui/format';
import { Id } from '../../ui/id';
import { AppLink } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Facts, Figure, Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Empty } from '../../ui/states';
import { Time } from '../../ui/time';
import { Through } from './ledger-state';

type Platform = Answer<'/v1/operator/platform', 'get'>;

/** Queues with their lags, open holds by age, and versions; for operators. */
export function PlatformState() {
  const query = useQuery({ ...get('/v1/operator/platform'), refetchInterval: 5_000 });
  return (
    <QueryView query={query}>
      {(platform) => (
        <>
          <Section title="Queues">
            <Queues queues={platform.queues} />
          </Section>
          <Section
            title="Open holds"
            note="Those whose lease ends first. The sweep ends a call whose lease has ended."
          >
            <OpenHolds holds={platform.open_holds} />
          </Section>
          <Section title="Versions">
            <Card withBorder>
              <Facts
                rows={[
                  ['Migrations', `${platform.schema.migrations}, up to ${platform.schema.latest ?? 'none'}`],
                  ['Partitions ahead', `${platform.partitions.months_ahead} months`],
                  ['Tables with rows outside of months', formatWhole(platform.partitions.strays)],
                  ['Ledger sealed through', <Through key="s" date={platform.ledger.sealed_through} />],
                  ['Ledger proven through', <Through key="p" date={platform.ledger.proven_through} />],
                ]}
              />
            </Card>
          </Section>
        </>
      )}
    </QueryView>
  );
}

const lag = (seconds: number) =>
  seconds === 0 ? 'nothing waits' : `the oldest for ${formatDuration(seconds * 1_000)}`;
const counts = (rows: { status: string; count: number; kind?: string; surface?: string }[]) =>
  rows.length === 0
    ? 'None'
    : rows
        .map(
          ({ status, count, kind, surface }) =>
            `${formatWhole(count)} ${[kind, formatCode(status).toLowerCase(), surface && `by ${formatSurface(surface)}`].filter(Boolean).join(' ')}`,
        )
        .join(', ');

const LINES = [
  ['deliveries', 'Deliveries'],
  ['verifications', 'Verifications'],
  ['mails', 'Mails'],
  ['holds_overdue', 'Overdue holds'],
  ['payments_quarantined', 'Quarantined payments'],
] as const;

function Queues({ queues }: { queues: Platform['queues'] }) {
  return (
    <>
      <Group align="stretch">
        {LINES.map(([name, title]) => (
          <Figure key={name} name={title} note={lag(queues[name].oldest_seconds)}>
            {formatWhole(queues[name].count)}
          </Figure>
        ))}
      </Group>
      <Card withBorder>
        <Facts
          rows={[
            ['Calls in progress', counts(queues.calls)],
            ['Payouts in progress', counts(queues.payouts)],
            ['Undecided cases', counts(queues.cases)],
          ]}
        />
      </Card>
    </>
  );
}

function OpenHolds({ holds }: { holds: Platform['open_holds'] }) {
  return (
    <Card withBorder padding={0} className="table-card">
      {holds.length === 0 ? (
        <Empty title="No open holds">Every call has ended.</Empty>
      ) : (
        <DataTable<Platform['open_holds'][number]>
          label="Open holds"
          rows={holds}
          keyOf={(one) => one.invocation_id}
          columns={[
            {
              title: 'Held',
              cell: (one) => (
                <AppLink to={`/operator/calls/${one.invocation_id}`}>
                  <Time at={one.held_at} ago />
                </AppLink>
              ),
            },
            { title: 'Call', cell: (one) => <Id value={one.invocation_id} /> },
            { title: 'Agent', cell: (one) => one.agent_id },
            { title: 'Lease until', cell: (one) => <Time at={one.lease_until} ago /> },
            { title: 'Credits', right: true, cell: (one) => <Credits value={one.credits} unit={false} /> },
          ]}
        />
      )}
    </Card>
  );
}
