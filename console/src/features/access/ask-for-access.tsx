import { Alert, Button, Card, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, send, type Answer } from '../../client/http';
import { organisationName, type Profile } from '../../client/owner';
import { isolated } from '../../ui/isolated';
import { AppLink } from '../../ui/link';
import { QueryView } from '../../ui/query-view';
import { Failure, problemOf } from '../../ui/states';
import { Written } from '../../ui/written';

type LinkedAgent = Answer<'/v1/access-links/open', 'post'>;

/**
 * The agent of a link, and the request of the account that has it. `onEnd` is called when the link is of no further
 * use.
 */
export function AskForAccess({ token, profile, onEnd }: AskProps) {
  const query = useQuery({
    queryKey: ['/v1/access-links/open', token] as const,
    queryFn: () =>
      send('post', '/v1/access-links/open', { body: { token } }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) onEnd();
        throw error;
      }),
    retry: false,
  });
  return (
    <Card withBorder padding="lg">
      <QueryView query={query}>
        {(agent) => <Linked agent={agent} token={token} profile={profile} onEnd={onEnd} />}
      </QueryView>
    </Card>
  );
}

interface AskProps {
  token: string;
  profile: Profile;
  onEnd: () => void;
}

function Linked({ agent, ...props }: AskProps & { agent: LinkedAgent }) {
  return (
    <Stack>
      <Text>
        <Written>{agent.display_name}</Written> of <Written>{agent.developer_name}</Written> is private.
      </Text>
      {agent.shown ? (
        <Text fz="sm">
          You see it already:{' '}
          <AppLink to={`/agents/${agent.agent_id}`} underline="always">
            open the agent
          </AppLink>
          .
        </Text>
      ) : agent.state === 'pending' ? (
        <Alert color="blue" variant="light" title="You have asked" role="status">
          A notice follows when the developer has decided.
        </Alert>
      ) : (
        <Request {...props} />
      )}
    </Stack>
  );
}

function Request({ token, profile, onEnd }: AskProps) {
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const name = organisationName(profile) ?? profile.displayName;
  const ask = useMutation({
    mutationFn: () => send('post', '/v1/access-requests', { body: { token, reason } }),
    onSuccess: () => {
      onEnd();
      return queries.invalidateQueries();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        ask.mutate();
      }}
    >
      <Stack>
        <Textarea
          label="Why do you ask?"
          description={`The developer reads it, with the name ${isolated(name)} and the id of the account that asks.`}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          error={problemOf(ask.error, 'reason')}
          required
          autosize
          minRows={2}
          maxLength={1_000}
          dir="auto"
        />
        {ask.isError && <Failure error={ask.error} fields={['reason']} />}
        <div>
          <Button type="submit" loading={ask.isPending}>
            Ask for access
          </Button>
        </div>
      </Stack>
    </form>
  );
}
