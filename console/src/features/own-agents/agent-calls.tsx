import { Button, Select, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Input } from '../../client/http';
import { list, SELDOM, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { formatCode, formatDuration, formatWhole } from '../../ui/format';
import { Id } from '../../ui/id';
import { AppLink } from '../../ui/link';
import { useChangeSearch, useSearchValue } from '../../ui/params';
import { usePageSize } from '../../ui/page-size';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { howItCounts, WhereFailed } from './one-call';

type Call = ItemOf<'/v1/developer/agents/{agent_id}/calls'>;
type State = NonNullable<
  NonNullable<Input<'/v1/developer/agents/{agent_id}/calls', 'get'>['query']>['status']
>;
const STATES: Record<State, true> = {
  failed: true,
  disputed: true,
  succeeded: true,
  running: true,
  pending: true,
};
const ANY = 'all';

/** The calls of an own agent one by one, by state. The buyers are not named. */
export function AgentCalls({ id }: { id: string }) {
  const change = useChangeSearch();
  const chosen = useSearchValue('status') ?? ANY;
  const filter = chosen in STATES ? { status: chosen as State } : {};
  const limit = usePageSize();
  const query = useInfiniteQuery({
    ...list('/v1/developer/agents/{agent_id}/calls', {
      path: { agent_id: id },
      query: { ...filter, limit },
    }),
    ...SELDOM,
  });
  return (
    <>
      <Select
        label="State"
        w={160}
        allowDeselect={false}
        value={chosen in STATES ? chosen : ANY}
        onChange={(status) => change({ status: status === ANY ? null : status })}
        data={[
          { value: ANY, label: 'Any' },
          ...Object.keys(STATES).map((value) => ({ value, label: formatCode(value) })),
        ]}
      />
      <ListTable<Call>
        label="Calls"
        query={query}
        followsRows
        pageSize={limit}
        keyOf={({ invocation_id: call }) => call}
        empty={
          chosen in STATES ? (
            <Empty title={chosen === 'failed' ? 'No call failed' : 'No call is in this state'}>
              <Button variant="default" size="xs" onClick={() => change({ status: null })}>
                Show all calls
              </Button>
            </Empty>
          ) : (
            <Empty title="No calls yet">Calls appear here as soon as they are accepted.</Empty>
          )
        }
        columns={[
          {
            title: 'Accepted',
            cell: (call) => (
              <AppLink to={`/developer/agents/${id}/calls`} search={{ call: call.invocation_id }}>
                <Time at={call.invoked_at} seconds />
              </AppLink>
            ),
          },
          { title: 'State', cell: (call) => <State call={call} /> },
          { title: 'Call and trace', cell: (call) => <Ids call={call} /> },
          { title: 'Sent and received', cell: (call) => <Sizes call={call} /> },
          {
            title: 'Duration',
            right: true,
            cell: ({ duration_ms: ms }) => (ms === null ? '–' : formatDuration(ms)),
          },
        ]}
      />
    </>
  );
}

/** The state, and why the call failed. */
function State({ call }: { call: Call }) {
  const { status, error, agent_error: counts, failure } = call;
  return (
    <div className="reason">
      <Status value={status} />
      {(error !== null || counts) && (
        <Text fz="sm" fw={600}>
          {error ? formatCode(error.code) : 'Taken back by a dispute'}
        </Text>
      )}
      <WhereFailed failure={failure} />
      {(error !== null || counts) && (
        <Text fz="xs" c="dimmed">
          {failure === null && error?.message} {howItCounts(call)}
        </Text>
      )}
    </div>
  );
}

/** By what the developer finds the call in logs. */
function Ids({ call: { invocation_id: id, trace_id: trace, version } }: { call: Call }) {
  return (
    <Text fz="xs" c="dimmed" component="div">
      <Id value={id} />
      <br />
      <Id value={trace} />
      <br />
      version {version}
    </Text>
  );
}

const sizeOf = (bytes: number | null) => (bytes === null ? 'nothing' : `${formatWhole(bytes)} bytes`);

/** Sizes, with the hashes by which the developer finds the call in logs. */
function Sizes({ call }: { call: Call }) {
  return (
    <Text fz="xs" c="dimmed" component="div">
      {sizeOf(call.input_bytes)} <Id value={call.input_sha256} />
      <br />
      {sizeOf(call.output_bytes)} {call.output_sha256 !== null && <Id value={call.output_sha256} />}
    </Text>
  );
}
