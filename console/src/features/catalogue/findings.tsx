import { Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { send } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { ListView } from '../../ui/data-table';
import { Permitted } from '../../ui/owner';
import { Section } from '../../ui/page';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { Written } from '../../ui/written';
import { FindingRow } from '../trust/trust-report';

type Finding = ItemOf<'/v1/developer/agents/{agent_id}/findings'>;

/** The findings of an own agent, each with its remedy, to acknowledge or to contest. */
export function Findings({ id }: { id: string }) {
  const query = useInfiniteQuery(
    list('/v1/developer/agents/{agent_id}/findings', { path: { agent_id: id }, query: { limit: 20 } }),
  );
  return (
    <Section
      title="Findings"
      note="A finding ends when a run no longer detects it, or when an operator waives it."
    >
      <ListView<Finding> query={query} empty={<Empty title="No findings" />}>
        {(findings) => (
          <Stack p="md">
            {findings.map((finding) => (
              <Group key={finding.finding_id} justify="space-between" align="flex-start">
                <div className="grow">
                  <FindingRow finding={finding} />
                </div>
                {finding.status !== 'resolved' && <Answers id={id} finding={finding} />}
              </Group>
            ))}
          </Stack>
        )}
      </ListView>
    </Section>
  );
}

/** What the developer may answer to a finding, and where its contest stands. */
function Answers({
  id,
  finding: { finding_id: findingId, status, contest },
}: {
  id: string;
  finding: Finding;
}) {
  const path = { agent_id: id, finding_id: findingId };
  return (
    <Stack gap={6} align="flex-end">
      <Permitted needs="agents" quiet>
        <Group gap={6}>
          {status === 'open' && (
            <Ask
              action="Acknowledge"
              question="This tells buyers that you have seen the finding. It changes neither score nor badge."
              done="The finding is acknowledged."
              run={() =>
                send('post', '/v1/developer/agents/{agent_id}/findings/{finding_id}/acknowledge', { path })
              }
            />
          )}
          {contest?.status === 'open' ? (
            <Status value="contested" label="Contested: an operator decides" />
          ) : (
            <Ask
              action={contest ? 'Contest again' : 'Contest'}
              question="An operator reads your statement, and waives the finding or refuses the contest."
              reason="Why the finding is wrong"
              done="The contest is with the operators."
              run={(statement) =>
                send('post', '/v1/developer/agents/{agent_id}/findings/{finding_id}/contest', {
                  path,
                  body: { statement },
                })
              }
            />
          )}
        </Group>
      </Permitted>
      {contest && <ContestText contest={contest} />}
    </Stack>
  );
}

function ContestText({ contest }: { contest: NonNullable<Finding['contest']> }) {
  const { status, opened_at: opened, decided_at: decided, decision_reason: reason } = contest;
  return (
    <Text fz="xs" c="dimmed" maw={320} ta="right" className="anywhere" dir="auto">
      {status === 'open' && (
        <>
          since <Time at={opened} />
        </>
      )}
      {status !== 'open' && decided !== null && (
        <>
          Contest {status} <Time at={decided} />: <Written>{reason}</Written>
        </>
      )}
    </Text>
  );
}
