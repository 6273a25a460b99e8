import { Alert, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get, SELDOM } from '../../client/queries';
import { LinkButton } from '../../ui/link';
import { Status } from '../../ui/status';
import { ASKED, ASKED_TEXT } from './call-filters';
import type { CallDetail } from './call-steps';

const NONE: ReadonlySet<string> = new Set();

/** The calls whose agents have asked the buyer, and wait for the answer. */
export function useAskedCalls(): ReadonlySet<string> {
  const { data: waiting } = useQuery(get('/v1/notices/waiting'));
  const hasSome = waiting !== undefined && waiting.questions > 0;
  const { data } = useQuery({
    ...get('/v1/invocations', { query: { input_required: 'true', limit: 100 } }),
    ...SELDOM,
    enabled: hasSome,
  });
  if (!hasSome) return NONE;
  return new Set(data?.items.map(({ invocation_id: id }) => id));
}

/** Says above a list of calls that some of them wait for the buyer, and leads to them. */
export function AskedCalls({ ids }: { ids: ReadonlySet<string> }) {
  const [first] = ids;
  if (first === undefined) return null;
  const isOne = ids.size === 1;
  return (
    <Alert
      color="yellow"
      variant="light"
      role="status"
      title={isOne ? 'An agent asks you' : 'Agents ask you'}
    >
      <Group gap="sm" justify="space-between">
        <Text fz="sm">
          {isOne ? 'One call waits' : `${ids.size} calls wait`} for your answer. Its agent goes on as soon as
          you have given it.
        </Text>
        {isOne ? (
          <LinkButton to={`/calls/${first}`} size="compact-sm">
            Answer
          </LinkButton>
        ) : (
          <LinkButton to="/calls" search={{ status: ASKED }} size="compact-sm">
            Show them
          </LinkButton>
        )}
      </Group>
    </Alert>
  );
}

/** The state of a call, or that its agent waits for the buyer. */
export function CallStatus({ status, isAsked }: { status: CallDetail['status']; isAsked: boolean }) {
  return isAsked ? <Status value={ASKED} label={ASKED_TEXT} /> : <Status value={status} />;
}
