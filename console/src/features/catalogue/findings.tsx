import { Group, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { list } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { ListView } from '../../ui/data-table';
import { Section } from '../../ui/page';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { FindingRow, type Finding } from '../trust/trust-report';

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

/** The browser remembers a contest, since the finding does not change until an operator has decided. */
const markOf = (findingId: string) => `contested ${findingId}`;

function Answers({ id, finding: { finding_id: findingId, status } }: { id: string; finding: Finding }) {
  const path = { agent_id: id, finding_id: findingId };
  const [isContested, setContested] = useState(() => sessionStorage.getItem(markOf(findingId)) !== null);
  const mark = () => {
    sessionStorage.setItem(markOf(findingId), 'yes');
    setContested(true);
  };
  return (
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
      {isContested ? (
        <Status value="contested" label="Contested: an operator decides" />
      ) : (
        <Ask
          action="Contest"
          question="An operator reads your statement, and waives the finding or refuses the contest."
          reason="Why the finding is wrong"
          done="The contest is with the operators."
          run={async (statement) => {
            await send('post', '/v1/developer/agents/{agent_id}/findings/{finding_id}/contest', {
              path,
              body: { statement },
            });
            mark();
          }}
        />
      )}
    </Group>
  );
}
