import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { send, type Answer } from '../client/http';
import { get } from '../client/queries';
import { Figures, Visibility } from '../features/catalogue/standing';
import { Findings } from '../features/catalogue/findings';
import { WhoMaySee } from '../features/access/who-may-see';
import { CardSignature } from '../features/own-agents/card-signature';
import { AgentNotices } from '../features/own-agents/agent-notices';
import { Host } from '../features/own-agents/host';
import { OwnScore } from '../features/own-agents/own-score';
import { SigningSecret } from '../features/own-agents/signing-secret';
import { Verification } from '../features/own-agents/verification';
import { Versions } from '../features/own-agents/versions';
import { Ask } from '../ui/ask';
import { Id } from '../ui/id';
import { LinkButton } from '../ui/link';
import { Permitted } from '../ui/owner';
import { Page } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Status } from '../ui/status';
import { BadgePill } from '../ui/trust';

type OwnAgent = Answer<'/v1/developer/agents/{agent_id}', 'get'>;

/** No event tells of the stages of a run, so the page asks often while a run goes on or is about to begin. */
function everyMs(agent: OwnAgent | undefined): number {
  const isBeingVerified =
    agent?.latest_run?.state === 'running' ||
    agent?.latest_version.status === 'submitted' ||
    agent?.latest_version.status === 'verifying';
  return isBeingVerified ? 2_000 : 5_000;
}

/** One agent of the developer: why it is not listed, its verification, figures, findings and versions. */
export function OwnAgentPage() {
  const id = useParam('agentId');
  const path = { agent_id: id };
  const query = useQuery({
    ...get('/v1/developer/agents/{agent_id}', { path }),
    refetchInterval: ({ state }) => everyMs(state.data),
  });
  const agent = query.data;
  return (
    <Page
      title={agent?.display_name ?? 'Agent'}
      back={{ to: '/developer/agents', label: 'Your agents' }}
      aside={
        agent && (
          <Group gap="xs">
            <Standing agent={agent} />
            <BadgePill badge={agent.badge} />
          </Group>
        )
      }
      subtitle={<Id value={id} short={false} />}
      actions={
        <>
          <LinkButton
            to={agent?.listed ? `/agents/${id}` : `/developer/agents/${id}/preview`}
            variant="default"
            size="xs"
          >
            As buyers see it
          </LinkButton>
          <LinkButton to={`/developer/agents/${id}/calls`} variant="default" size="xs">
            Calls
          </LinkButton>
          <Permitted needs="agents">
            {agent && agent.status !== 'retired' && (
              <LinkButton to={`/developer/agents/${id}/edit`} variant="default" size="xs">
                Edit
              </LinkButton>
            )}
            <Ask
              action="Verify again"
              question="A new run verifies the version that serves."
              done="The verification has begun."
              run={() => send('post', '/v1/developer/agents/{agent_id}/reverify', { path })}
            />
            <Ask
              action="Retire"
              danger
              question="The agent takes no more calls and leaves the search. This cannot be undone."
              done="The agent is retired."
              run={() => send('post', '/v1/developer/agents/{agent_id}/retire', { path })}
            />
          </Permitted>
        </>
      }
    >
      <QueryView query={query}>
        {({
          latest_run: run,
          signing_secret: secret,
          previous_secret_expires_at: previous,
          registration,
          ownership,
        }) => (
          <Stack gap="lg">
            <Visibility id={id} />
            <CardSignature registration={registration} />
            <AgentNotices id={id} />
            {run && <Verification run={run} />}
            {ownership && <Host ownership={ownership} />}
            <OwnScore id={id} />
            <Permitted needs="agents" quiet>
              <WhoMaySee agentId={id} />
            </Permitted>
            <Figures id={id} />
            <Findings id={id} />
            <SigningSecret agentId={id} secret={secret} previousUntil={previous} />
            <Versions id={id} everyMs={everyMs(agent)} />
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}

/** An active agent that has no version to serve is not live. */
function Standing({ agent: { status, serving_version: serving } }: { agent: OwnAgent }) {
  const isLive = status !== 'active' || serving !== null;
  return isLive ? <Status value={status} /> : <Status value="pending" label="Not live" />;
}
