import { Anchor, Card, Group, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get } from '../../client/queries';
import { DataTable } from '../../ui/data-table';
import { formatWhole } from '../../ui/format';
import { Credits } from '../../ui/money';
import { useOwner } from '../../ui/owner';
import { Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { monthsSince } from './months';

interface Row {
  what: string;
  count: number | null;
  credits: number;
}

/** The statement of a month: what the account had, what moved, and what it has. */
export function Statements() {
  const since = useOwner()?.created_at;
  const months = monthsSince(since === undefined ? new Date() : new Date(since), new Date());
  const [chosen, setChosen] = useState<string | null>(null);
  const month = chosen ?? months[0] ?? '';
  const query = useQuery(get('/v1/billing/statements/{month}', { path: { month } }));
  return (
    <Section title="Statements" note="Months in UTC. Balances include what is held for running calls.">
      <Stack gap="sm">
        <Group align="flex-end">
          <Select label="Month" data={months} value={month} onChange={setChosen} allowDeselect={false} />
          <Anchor href={`/v1/billing/statements/${month}/statement.pdf`} fz="sm">
            PDF
          </Anchor>
          <Anchor href={`/v1/billing/statements/${month}/statement.csv`} fz="sm">
            CSV
          </Anchor>
        </Group>
        <QueryView query={query}>
          {({ opening_credits: opening, closing_credits: closing, lines }) => {
            const rows: Row[] = [
              { what: 'Opening balance', count: null, credits: opening },
              ...lines.map(({ description, count, credits }) => ({ what: description, count, credits })),
              { what: 'Closing balance', count: null, credits: closing },
            ];
            return (
              <Card withBorder padding={0} className="table-card">
                <DataTable
                  label={`Statement of ${month}`}
                  rows={rows}
                  keyOf={({ what }) => what}
                  columns={[
                    { title: 'Movement', cell: ({ what }) => what },
                    {
                      title: 'Number',
                      right: true,
                      cell: ({ count }) => (count === null ? '' : formatWhole(count)),
                    },
                    {
                      title: 'Credits',
                      right: true,
                      cell: ({ credits }) => <Credits value={credits} unit={false} />,
                    },
                  ]}
                />
              </Card>
            );
          }}
        </QueryView>
      </Stack>
    </Section>
  );
}
