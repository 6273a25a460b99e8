import { Group, Select, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Input } from '../../client/http';
import { list } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { DateField } from '../../ui/date-field';
import { startOf } from '../../ui/days';
import { ExportButton } from '../../ui/export-button';
import { ClearFilters, FilterChips, type Chip } from '../../ui/filter-chips';
import { formatDate } from '../../ui/format';
import { Credits } from '../../ui/money';
import { useChangeSearch, useSearchValue } from '../../ui/params';
import { usePageSize } from '../../ui/page-size';
import { Empty } from '../../ui/states';
import { Time } from '../../ui/time';
import { useAgentNames } from '../calls/agent-names';
import { Sum, What, type Line } from './movement';

type Query = NonNullable<Input<'/v1/billing/ledger', 'get'>['query']>;

/** What a person looks for; holds stand behind the line of their call. */
const KINDS: Partial<Record<NonNullable<Query['entry_type']>, string>> = {
  invocation_charge: 'Calls',
  topup: 'Top-ups',
  topup_reversal: 'Top-ups taken back',
  dispute_refund: 'Refunds of disputes',
  slash_refund: 'Refunds from bonds',
  registration_fee: 'Registration fee',
  bond_deposit: 'Into the bond',
  bond_release: 'Out of the bond',
};
const FIELDS = ['kind', 'from', 'to'];

/** The movements of the wallet, one line for each call, by kind and time. */
export function Movements() {
  const [kind, from, to] = [useSearchValue('kind'), useSearchValue('from'), useSearchValue('to')];
  const [since, until] = [startOf(from ?? ''), startOf(to ?? '', 1)];
  const query: Query = {
    view: 'net',
    ...(kind !== undefined && kind in KINDS && { entry_type: kind as keyof typeof KINDS }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
  const limit = usePageSize();
  const lines = useInfiniteQuery(list('/v1/billing/ledger', { query: { ...query, limit } }));
  const agents = useAgentNames();
  const chips: Chip[] = [
    ...(kind !== undefined && kind in KINDS
      ? [{ field: 'kind', text: KINDS[kind as keyof typeof KINDS] ?? kind }]
      : []),
    ...(since === undefined ? [] : [{ field: 'from', text: `From ${formatDate(from ?? '')}` }]),
    ...(until === undefined ? [] : [{ field: 'to', text: `To ${formatDate(to ?? '')}` }]),
  ];
  return (
    <Stack gap="sm">
      <Fields kind={kind} from={from} to={to}>
        <ExportButton path="/v1/billing/ledger" input={{ query }} name="movements" columns={CSV} />
      </Fields>
      <FilterChips chips={chips} />
      <ListTable<Line>
        label="Movements"
        query={lines}
        followsRows
        pageSize={limit}
        keyOf={(line) => `${line.transaction_id}${line.entry_type}${line.balance_after_credits}`}
        empty={
          chips.length > 0 ? (
            <Empty title="No movement matches" action={<ClearFilters fields={FIELDS} />}>
              No movement of the wallet has all of these filters.
            </Empty>
          ) : (
            <Empty title="No movements yet">Add credits to call agents.</Empty>
          )
        }
        summary={(rows, total) => <Sum rows={rows} total={total} />}
        columns={[
          { title: 'Time', cell: (line) => <Time at={line.created_at} seconds /> },
          { title: 'What', cell: (line) => <What line={line} agents={agents} /> },
          {
            title: 'Credits',
            right: true,
            cell: (line) => <Credits value={line.credits} signed unit={false} />,
          },
          {
            title: 'Available',
            right: true,
            cell: (line) => <Credits value={line.balance_after_credits} unit={false} />,
          },
        ]}
      />
    </Stack>
  );
}

const CSV = [
  { title: 'time', value: (line: Line) => line.created_at },
  { title: 'type', value: (line: Line) => line.entry_type },
  { title: 'description', value: (line: Line) => line.description },
  { title: 'credits', value: (line: Line) => line.credits },
  { title: 'available_after', value: (line: Line) => line.balance_after_credits },
  { title: 'agent', value: (line: Line) => line.agent_id },
  { title: 'call', value: (line: Line) => line.invocation_id },
  { title: 'transaction', value: (line: Line) => line.transaction_id },
];

interface FieldsProps {
  kind: string | undefined;
  from: string | undefined;
  to: string | undefined;
  children: ReactNode;
}

function Fields({ kind = '', from = '', to = '', children }: FieldsProps) {
  const change = useChangeSearch();
  return (
    <Group gap="sm" align="flex-end">
      <Select
        label="Kind"
        placeholder="Any"
        clearable
        w={190}
        value={kind || null}
        onChange={(value) => change({ kind: value })}
        data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
      />
      <DateField label="From" value={from} onChange={(value) => change({ from: value })} />
      <DateField label="To" value={to} onChange={(value) => change({ to: value })} />
      {children}
    </Group>
  );
}
