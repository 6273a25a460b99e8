import { Button, Card } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Answer } from '../client/http';
import { get } from '../client/queries';
import { StatementFiles } from '../features/payouts/statement-files';
import { DataTable } from '../ui/data-table';
import { formatCode, formatWhole } from '../ui/format';
import { Id } from '../ui/id';
import { Credits, Money } from '../ui/money';
import { PrintButton } from '../ui/print-button';
import { Facts, Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

type Payout = Answer<'/v1/billing/developer/payouts/{payout_id}', 'get'>;

/** One payout with its statement, down to each call. */
export function PayoutPage() {
  const id = useParam('payoutId');
  const query = useQuery(get('/v1/billing/developer/payouts/{payout_id}', { path: { payout_id: id } }));
  return (
    <Page
      title="Payout"
      back={{ to: '/developer/earnings', label: 'Earnings' }}
      subtitle={<Id value={id} short={false} />}
      aside={query.data && <Status value={query.data.status} />}
      actions={query.data && <PrintButton />}
    >
      <QueryView query={query}>{(payout) => <PayoutView payout={payout} />}</QueryView>
    </Page>
  );
}

/** Rows that are drawn at first; a thousand of them would take a second. */
const FIRST_LINES = 100;

function PayoutView({ payout: one }: { payout: Payout }) {
  const { lines, total_lines: total } = one.statement;
  const [showsAll, setShowsAll] = useState(false);
  useEffect(() => {
    // Paper has all of them. The browser prints what is drawn when this returns.
    const print = () => flushSync(() => setShowsAll(true));
    addEventListener('beforeprint', print);
    return () => removeEventListener('beforeprint', print);
  }, []);
  const shown = showsAll ? lines : lines.slice(0, FIRST_LINES);
  return (
    <>
      <Card withBorder>
        <Facts
          rows={[
            ['Credits', <Credits key="c" value={one.credits} />],
            ['Amount', <Money key="m" minor={one.amount_minor} currency={one.currency} />],
            ['By', one.method?.toUpperCase() ?? 'No method'],
            one.processing_time !== null && ['Arrives within', one.processing_time],
            one.reason !== undefined && ['Because', formatCode(one.reason)],
            ['Period', <Period key="p" payout={one} />],
            ['Begun', <Time key="i" at={one.initiated_at} />],
            one.completed_at !== null && ['Ended', <Time key="e" at={one.completed_at} />],
            ['Carried over', <Credits key="r" value={one.remainder_credits} />],
          ]}
        />
      </Card>
      <Section
        title="Statement"
        actions={<StatementFiles payoutId={one.payout_id} />}
        {...(total > shown.length && {
          note: `The first ${formatWhole(shown.length)} of ${formatWhole(total)} lines. The files have all of them.`,
        })}
      >
        <Card withBorder padding={0} className="table-card">
          <Lines lines={shown} />
        </Card>
        {shown.length < lines.length && (
          <Button variant="default" onClick={() => setShowsAll(true)}>
            Show {formatWhole(lines.length)} lines
          </Button>
        )}
      </Section>
    </>
  );
}

function Period({ payout: { period_start: from, period_end: to } }: { payout: Payout }) {
  return (
    <>
      <Time at={from} /> to <Time at={to} />
    </>
  );
}

function Lines({ lines }: { lines: Payout['statement']['lines'] }) {
  const amount = (value: number) => <Credits value={value} unit={false} />;
  return (
    <DataTable
      label="Statement"
      rows={lines.map((line, index) => ({ ...line, index }))}
      keyOf={({ index }) => String(index)}
      columns={[
        { title: 'Time', cell: ({ at }) => <Time at={at} /> },
        { title: 'What', cell: ({ type }) => formatCode(type) },
        { title: 'Agent', cell: ({ agent_id: agent }) => agent ?? '–' },
        {
          title: 'Call',
          cell: ({ invocation_id: call }) => (call === undefined ? '–' : <Id value={call} />),
        },
        { title: 'Charged', right: true, cell: (line) => amount(line.gross_credits) },
        { title: 'Fee', right: true, cell: (line) => amount(line.fee_credits) },
        { title: 'Taken back', right: true, cell: (line) => amount(line.taken_back_credits) },
        { title: 'Credits', right: true, cell: (line) => amount(line.credits) },
      ]}
    />
  );
}
