import { useInfiniteQuery } from '@tanstack/react-query';
import { Group, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { formatCode, formatDuration } from '../../ui/format';
import { AppLink, LinkButton } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';

type Call = ItemOf<'/v1/invocations'>;
const STATES = ['pending', 'running', 'succeeded', 'failed', 'disputed'];

/** The calls of the account, newest first, by agent and state. New calls appear every ten seconds. */
export function CallList() {
  const [status, setStatus] = useState<string | null>(null);
  const [agentId, setAgentId] = useState('');
  const isId = /^agt_[a-z0-9_]+_v[0-9]+$/.test(agentId);
  const query = useInfiniteQuery({
    ...list('/v1/invocations', {
      query: {
        limit: 25,
        ...(status ? { status: status as never } : {}),
        ...(isId ? { agent_id: agentId } : {}),
      },
    }),
    refetchInterval: 10_000,
  });
  return (
    <>
      <Group gap="sm" align="flex-end">
        <Select
          label="State"
          placeholder="Any"
          clearable
          w={150}
          value={status}
          onChange={setStatus}
          data={STATES.map((value) => ({ value, label: formatCode(value) }))}
        />
        <TextInput
          label="Agent"
          placeholder="agt_…_v1"
          w={260}
          value={agentId}
          onChange={(event) => setAgentId(event.currentTarget.value.trim())}
          error={agentId !== '' && !isId ? 'An agent id looks like agt_unit_converter_v1' : undefined}
        />
      </Group>
      <ListTable<Call>
        label="Calls"
        query={query}
        keyOf={({ invocation_id: id }) => id}
        empty={
          <Empty title="No calls" action={<LinkButton to="/">Find an agent</LinkButton>}>
            Calls appear here as soon as they are accepted.
          </Empty>
        }
        columns={[
          {
            title: 'Accepted',
            cell: (call) => (
              <AppLink to={`/calls/${call.invocation_id}`}>
                <Time at={call.invoked_at} />
              </AppLink>
            ),
          },
          { title: 'Agent', cell: (call) => <span className="anywhere">{call.agent_id}</span> },
          { title: 'State', cell: (call) => <Status value={call.status} /> },
          { title: 'By', cell: (call) => call.surface },
          {
            title: 'Duration',
            right: true,
            cell: (call) => (call.settled_at ? formatDuration(call.usage.duration_ms) : '–'),
          },
          { title: 'Charged', right: true, cell: (call) => <Credits value={call.usage.credits_charged} /> },
        ]}
      />
    </>
  );
}
