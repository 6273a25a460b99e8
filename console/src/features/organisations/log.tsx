import { Button, Group, Text, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { list, type ItemOf } from '../../client/queries';
import { DataTable, ListView } from '../../ui/data-table';
import { formatCode } from '../../ui/format';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { csvPathOf, OrganisationLogFilters, useOrganisationLogFilter } from './log-filters';
import { operationWords } from './operation-words';

const PATH = '/v1/organisations/{org_id}/log';
type Entry = ItemOf<typeof PATH>;

/** Whether an entry has the text in what it shows. */
const has = (entry: Entry, text: string) =>
  [
    entry.name,
    entry.email,
    operationWords(entry.operation),
    entry.operation,
    entry.outcome,
    entry.subject,
    entry.network,
  ]
    .join(' ')
    .toLowerCase()
    .includes(text.toLowerCase());

/** What members changed for the organisation, by action, member and day, with what is listed as CSV. */
export function OrganisationLog({ orgId }: { orgId: string }) {
  const [text, setText] = useState('');
  const filter = useOrganisationLogFilter();
  const query = useInfiniteQuery(list(PATH, { path: { org_id: orgId }, query: { limit: 100, ...filter } }));
  const shown = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <Group align="flex-end" gap="sm" mb="sm">
        <OrganisationLogFilters
          orgId={orgId}
          operations={[
            ...shown.map(({ operation }) => operation),
            ...(filter.operation === undefined ? [] : [filter.operation]),
          ]}
        />
        <TextInput
          label="Filter what is shown"
          description="A name, an address, an action, an outcome, an id or a network"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          className="grow"
          maw={440}
        />
        <Button
          component="a"
          href={csvPathOf(orgId, filter)}
          download
          variant="default"
          size="xs"
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          CSV
        </Button>
      </Group>
      <ListView<Entry>
        query={query}
        empty={
          Object.keys(filter).length > 0 ? (
            <Empty title="No entry matches" />
          ) : (
            <Empty title="No entries yet">Each change that a member makes appears here.</Empty>
          )
        }
      >
        {(rows) => <Entries rows={rows.filter((entry) => has(entry, text.trim()))} />}
      </ListView>
    </>
  );
}

function Entries({ rows }: { rows: readonly Entry[] }) {
  if (rows.length === 0) return <Empty title="No entry that is shown matches" />;
  return (
    <DataTable<Entry>
      label="Log"
      rows={rows}
      keyOf={({ log_id: id }) => id}
      columns={[
        { title: 'Time', cell: ({ at }) => <Time at={at} /> },
        { title: 'Member', cell: (entry) => <Member entry={entry} /> },
        {
          title: 'What',
          cell: ({ operation, subject }) => (
            <>
              <Text fz="sm">{operationWords(operation)}</Text>
              <Text fz="xs" c="dimmed" className="anywhere">
                {subject}
              </Text>
            </>
          ),
        },
        { title: 'Outcome', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
        { title: 'From', cell: ({ network }) => network ?? '–' },
      ]}
    />
  );
}

function Member({ entry: { name, email, key_id: key } }: { entry: Entry }) {
  return (
    <>
      <Text fz="sm" fw={600} dir="auto">
        {name ?? 'A key of the organisation'}
      </Text>
      <Text fz="xs" c="dimmed" className="anywhere">
        {[email, key].filter((part) => part !== null).join(', by ')}
      </Text>
    </>
  );
}

function Outcome({ outcome }: { outcome: string | null }) {
  if (outcome === null) return <Status value="running" label="Not known" />;
  return outcome === 'done' ? (
    <Status value="ok" label="Done" />
  ) : (
    <Status value="failed" label={formatCode(outcome)} />
  );
}
