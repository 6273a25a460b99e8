import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { list, SELDOM, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { ExportButton } from '../../ui/export-button';
import { ClearFilters, FilterChips } from '../../ui/filter-chips';
import { formatCode, formatCredits, formatDuration, formatSurface, shownText } from '../../ui/format';
import { AppLink, LinkButton } from '../../ui/link';
import { Credits } from '../../ui/money';
import { usePageSize } from '../../ui/page-size';
import { Empty } from '../../ui/states';
import { Time } from '../../ui/time';
import { AskedCalls, CallStatus, useAskedCalls } from './asked-calls';
import { CALL_FIELDS, CallFilters, chipsOf, useCallFilters, useCallNames } from './call-filters';

type Call = ItemOf<'/v1/invocations'>;

const CSV = [
  { title: 'call', value: (call: Call) => call.invocation_id },
  { title: 'accepted', value: (call: Call) => call.invoked_at },
  { title: 'ended', value: (call: Call) => call.settled_at },
  { title: 'agent', value: (call: Call) => call.agent_id },
  { title: 'agent_name', value: (call: Call) => call.agent_name },
  { title: 'version', value: (call: Call) => call.version },
  { title: 'by', value: (call: Call) => call.surface },
  { title: 'state', value: (call: Call) => call.status },
  { title: 'error', value: (call: Call) => call.error?.code },
  { title: 'duration_ms', value: (call: Call) => call.usage.duration_ms },
  { title: 'tokens_in', value: (call: Call) => call.usage.tokens_in },
  { title: 'tokens_out', value: (call: Call) => call.usage.tokens_out },
  { title: 'credits', value: (call: Call) => call.usage.credits_charged },
  { title: 'trace', value: (call: Call) => call.trace_id },
];

/** The calls of the account, newest first, by agent, state, key and time. The stream of events adds new ones. */
export function CallList() {
  const { chosen, filter } = useCallFilters();
  const names = useCallNames();
  const chips = chipsOf(chosen, { filter, names });
  const limit = usePageSize();
  const asked = useAskedCalls();
  const query = useInfiniteQuery({
    ...list('/v1/invocations', { query: { ...filter, limit } }),
    ...SELDOM,
  });
  return (
    <Stack gap="sm">
      {filter.input_required === undefined && <AskedCalls ids={asked} />}
      <CallFilters chosen={chosen} names={names}>
        <ExportButton path="/v1/invocations" input={{ query: filter }} name="calls" columns={CSV} />
      </CallFilters>
      <FilterChips chips={chips} />
      <ListTable<Call>
        label="Calls"
        query={query}
        followsRows
        pageSize={limit}
        keyOf={({ invocation_id: id }) => id}
        empty={
          chips.length > 0 ? (
            <Empty title="No call matches" action={<ClearFilters fields={CALL_FIELDS} />}>
              There are calls, but none with all of these filters.
            </Empty>
          ) : (
            <Empty title="No calls" action={<LinkButton to="/">Find an agent</LinkButton>}>
              Calls appear here as soon as they are accepted.
            </Empty>
          )
        }
        summary={(rows, total) => <Sum rows={rows} total={total} />}
        columns={[
          {
            title: 'Accepted',
            cell: (call) => (
              <AppLink to={`/calls/${call.invocation_id}`}>
                <Time at={call.invoked_at} seconds />
              </AppLink>
            ),
          },
          { title: 'Agent', cell: (call) => <Agent call={call} /> },
          { title: 'State', cell: (call) => <State call={call} isAsked={asked.has(call.invocation_id)} /> },
          { title: 'By', cell: (call) => formatSurface(call.surface) },
          {
            title: 'Duration',
            right: true,
            cell: (call) => (call.settled_at ? formatDuration(call.usage.duration_ms) : '–'),
          },
          { title: 'Charged', right: true, cell: (call) => <Credits value={call.usage.credits_charged} /> },
        ]}
      />
    </Stack>
  );
}

function Agent({ call: { agent_id: id, agent_name: name } }: { call: Call }) {
  return (
    <bdi className="anywhere" title={id}>
      {name}
    </bdi>
  );
}

function State({ call: { status, error }, isAsked }: { call: Call; isAsked: boolean }) {
  return (
    <div>
      <CallStatus status={status} isAsked={isAsked} />
      {error && (
        <Text fz="xs" c="dimmed" title={error.message}>
          {formatCode(error.code)}
        </Text>
      )}
    </div>
  );
}

function Sum({ rows, total }: { rows: readonly Call[]; total: number | undefined }) {
  const charged = rows.reduce((sum, { usage }) => sum + usage.credits_charged, 0);
  return (
    <>
      {shownText(rows.length, total)} {rows.length === 1 ? 'call' : 'calls'} shown, charged{' '}
      {formatCredits(charged)} credits.
    </>
  );
}
