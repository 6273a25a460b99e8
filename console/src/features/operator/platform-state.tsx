import { Card, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../client/http';
import { get } from '../../client/queries';
import { formatDuration, formatWhole } from '../../ui/format';
import { AppLink } from '../../ui/link';
import { Facts, Figure, Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Through } from './ledger-state';
import { OpenHolds } from './open-holds';
import { countsText } from './counts-text';

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
            note="Those that end first. A call whose time is over is ended and refunded."
          >
            <OpenHolds holds={platform.open_holds} />
          </Section>
          <Section title="Versions">
            <Card withBorder>
              <Facts
                rows={[
                  ['Migrations', `${platform.schema.migrations}, up to ${platform.schema.latest ?? 'none'}`],
                  ['Partitions ahead', `${platform.partitions.months_ahead} months`],
                  ['Tables with misplaced rows', formatWhole(platform.partitions.strays)],
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

const lag = ({ count, oldest_seconds: seconds }: { count: number; oldest_seconds: number }) =>
  count === 0 ? 'nothing waits' : `the oldest for ${formatDuration(seconds * 1_000)}`;

/** The values in the query of an address of the console. */
const searchOf = (to: string) => Object.fromEntries(new URLSearchParams(to.split('?')[1] ?? ''));

const LINES: readonly (readonly [
  'deliveries' | 'verifications' | 'mails' | 'holds_overdue' | 'payments_quarantined',
  string,
  string?,
])[] = [
  ['deliveries', 'Deliveries'],
  ['verifications', 'Verifications'],
  ['mails', 'Mails'],
  ['holds_overdue', 'Overdue holds', '/operator/calls?status=running'],
  ['payments_quarantined', 'Quarantined payments', '/operator/payments'],
];

function Queues({ queues }: { queues: Platform['queues'] }) {
  return (
    <>
      <Group align="stretch">
        {LINES.map(([name, title, to]) => (
          <Figure key={name} name={title} note={lag(queues[name])}>
            {to ? (
              <AppLink to={to.split('?')[0] ?? to} search={searchOf(to)}>
                {formatWhole(queues[name].count)}
              </AppLink>
            ) : (
              formatWhole(queues[name].count)
            )}
          </Figure>
        ))}
      </Group>
      <Card withBorder>
        <Facts
          rows={[
            [
              'Calls in progress',
              <AppLink key="c" to="/operator/calls">
                {countsText(queues.calls)}
              </AppLink>,
            ],
            [
              'Payouts in progress',
              <AppLink key="p" to="/operator/payouts">
                {countsText(queues.payouts)}
              </AppLink>,
            ],
            [
              'Undecided cases',
              <AppLink key="d" to="/operator">
                {countsText(queues.cases)}
              </AppLink>,
            ],
          ]}
        />
      </Card>
    </>
  );
}
