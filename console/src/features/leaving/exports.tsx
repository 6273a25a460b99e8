import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { send } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { ListTable } from '../../ui/data-table';
import { formatWhole } from '../../ui/format';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';

type Export = ItemOf<'/v1/account/exports'>;
/** An archive is written within minutes; no event reports it. */
const WAITING_MS = 3_000;
const isOpen = ({ status }: Export) => status === 'waiting' || status === 'running';
const LABELS: Record<string, string> = { expired: 'Deleted' };

/** The archives of everything that is stored. `of`: the organisation whose they are, behind "of". */
export function Exports({ of }: { of: string }) {
  const query = useInfiniteQuery({
    ...list('/v1/account/exports', { query: { limit: 10 } }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isOpen)) ? WAITING_MS : false,
  });
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={3}>Archives{of}</Title>
          <Text fz="sm" c="dimmed" maw={640}>
            A zip file with each list as JSON and as CSV, and the bundles that were uploaded. A mail reports
            when it is ready. It can be downloaded for seven days. Secrets are not in it.
          </Text>
        </div>
        <Ask
          action="Ask for an archive"
          question={`Everything that is stored${of} is written into one archive. There is one at a time, and three within 24 hours.`}
          done="The archive is being written. A mail reports when it is ready."
          run={() => send('post', '/v1/account/export')}
        />
      </Group>
      <ListTable<Export>
        label="Archives"
        query={query}
        keyOf={({ export_id: id }) => id}
        empty={<Empty title="No archives yet" />}
        columns={[
          { title: 'Asked for', cell: ({ requested_at: at }) => <Time at={at} /> },
          { title: 'State', cell: ({ status }) => <State status={status} /> },
          { title: 'Rows', right: true, cell: ({ rows }) => (rows === null ? '–' : formatWhole(rows)) },
          { title: 'Size', right: true, cell: ({ bytes }) => (bytes === null ? '–' : sizeText(bytes)) },
          { title: 'Deleted on', cell: ({ expires_at: at }) => (at === null ? '–' : <Time at={at} />) },
          {
            title: '',
            right: true,
            cell: (one) => one.status === 'ready' && <Download id={one.export_id} />,
          },
        ]}
      />
    </Stack>
  );
}

const State = ({ status }: Pick<Export, 'status'>) => {
  const label = LABELS[status];
  return <Status value={status} {...(label !== undefined && { label })} />;
};

function Download({ id }: { id: string }) {
  return (
    <Anchor href={`/v1/account/exports/${id}/archive.zip`} download fz="sm">
      Download
    </Anchor>
  );
}

/** "48 kB" or "1.2 MB". */
export function sizeText(bytes: number): string {
  if (bytes < 1_000_000) return `${formatWhole(Math.ceil(bytes / 1_000))} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
