import { Button, Card, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../client/http';
import { Ask } from '../../ui/ask';
import { CodeBlock } from '../../ui/code-block';
import { AppLink } from '../../ui/link';
import { Failure } from '../../ui/states';
import { Time } from '../../ui/time';

/** The link by which accounts ask to see an agent. It is shown once, when it is made. `madeAt`: null without a link. */
export function AccessLink({ agentId, madeAt }: { agentId: string; madeAt: string | null }) {
  const path = { agent_id: agentId };
  const queries = useQueryClient();
  const make = useMutation({
    mutationFn: () => send('post', '/v1/developer/agents/{agent_id}/access-link', { path }),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <Card withBorder>
      <Stack gap="sm">
        <div>
          <Text fz="sm" fw={600}>
            Link for requests
          </Text>
          <Text fz="sm" c="dimmed">
            An account that has the link sees the name of the agent, and may ask. You decide on{' '}
            <AppLink to="/access" underline="always">
              Access requests
            </AppLink>
            .{' '}
            {madeAt !== null && (
              <>
                The present link was made <Time at={madeAt} />.
              </>
            )}
          </Text>
        </div>
        {make.data && madeAt !== null && (
          <div role="status">
            <Text fz="sm">Copy this link now. It is not shown again.</Text>
            <CodeBlock text={make.data.url} label="link for requests" />
          </div>
        )}
        {make.isError && <Failure error={make.error} />}
        <Group gap="xs">
          {madeAt === null ? (
            <Button variant="default" size="xs" loading={make.isPending} onClick={() => make.mutate()}>
              Make a link
            </Button>
          ) : (
            <>
              <Ask
                action="Make another link"
                question="The present link ends. Requests that were made stay."
                done="The link before has ended."
                run={() => make.mutateAsync()}
              />
              <Ask
                action="End the link"
                danger
                question="Accounts that have the link can no longer ask. Requests that were made stay."
                done="The link has ended."
                run={() => send('delete', '/v1/developer/agents/{agent_id}/access-link', { path })}
              />
            </>
          )}
        </Group>
      </Stack>
    </Card>
  );
}
