import { Alert, Button, Card, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../client/http';
import { get } from '../../client/queries';
import { formatCode, formatDuration, formatSurface, formatWhole } from '../../ui/format';
import { Id } from '../../ui/id';
import { Credits } from '../../ui/money';
import { Facts, Section } from '../../ui/page';
import { useChangeSearch } from '../../ui/params';
import { QueryView } from '../../ui/query-view';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';

type Call = Answer<'/v1/developer/agents/{agent_id}/calls/{invocation_id}', 'get'>;

/** One call of an own agent, as its developer may see it. */
export function OneCall({ agentId, callId }: { agentId: string; callId: string }) {
  const change = useChangeSearch();
  const path = { agent_id: agentId, invocation_id: callId };
  const query = useQuery(get('/v1/developer/agents/{agent_id}/calls/{invocation_id}', { path }));
  return (
    <Section
      title="One call"
      actions={
        <Button variant="default" size="xs" onClick={() => change({ call: null })}>
          Show all calls
        </Button>
      }
    >
      <QueryView query={query}>{(call) => <CallFacts call={call} />}</QueryView>
    </Section>
  );
}

const sizeOf = (bytes: number | null) => (bytes === null ? 'Nothing' : `${formatWhole(bytes)} bytes`);

function CallFacts({ call }: { call: Call }) {
  return (
    <Card withBorder>
      {call.error && (
        <Alert color="red" variant="light" mb="md" title={formatCode(call.error.code)}>
          <Text fz="sm">{call.error.message}</Text>
          <WhereFailed failure={call.failure} />
          <Text fz="sm" c="dimmed">
            {howItCounts(call)}
          </Text>
        </Alert>
      )}
      <Facts
        rows={[
          ['Call', <Id key="i" value={call.invocation_id} />],
          [
            'State',
            <Group key="s">
              <Status value={call.status} />
            </Group>,
          ],
          ['Version', call.version],
          ['By', formatSurface(call.surface)],
          ['Accepted', <Time key="a" at={call.invoked_at} precise />],
          call.settled_at !== null && ['Ended', <Time key="e" at={call.settled_at} precise />],
          call.duration_ms !== null && ['Duration', formatDuration(call.duration_ms)],
          ['Charged', <Credits key="c" value={call.credits_charged} />],
          ['Sent', sizeOf(call.input_bytes)],
          ['SHA-256 of the input', <Id key="h" value={call.input_sha256} />],
          ['Received', sizeOf(call.output_bytes)],
          call.output_sha256 !== null && ['SHA-256 of the output', <Id key="o" value={call.output_sha256} />],
          call.schema_valid !== null && ['Fits the output schema', call.schema_valid ? 'Yes' : 'No'],
          ['Trace', <Id key="t" value={call.trace_id} />],
        ]}
      />
    </Card>
  );
}

/** Whether a failed call counts for the agent. */
export const howItCounts = ({ agent_error: counts }: Pick<Call, 'agent_error'>): string =>
  counts ? 'It counts against the agent.' : 'It does not count against the agent.';

const PHASES = {
  connection: 'No response came',
  answer: 'The response was refused',
  schema: 'The answer violates the output schema',
  acceptance: 'The answer fails a test of the buyer',
} as const;

/** Where a call failed: the status of the response, or the place in the answer. */
export function WhereFailed({ failure }: { failure: Call['failure'] }) {
  if (!failure) return null;
  const { phase, http_status: status, schema_path: path, problem } = failure;
  return (
    <Text fz="sm" className="anywhere">
      {PHASES[phase]}
      {status !== null && `: status ${status}`}
      {path !== null && (
        <>
          , at <code>{path}</code>: {problem}
        </>
      )}
      .
    </Text>
  );
}
