import { Button, Card, Group, NumberInput, Stack, TagsInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { get } from '../../client/queries';
import { Refusal } from '../../ui/owner';
import { Facts, Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Failure, problemOf } from '../../ui/states';
import { may, type Organisation } from './organisation';

const PATH = '/v1/organisations/{org_id}/rules';
type Rules = Answer<typeof PATH, 'get'>;
const MOST = 1_000;
const FIELDS = ['min_trust_score', 'agents', 'developers'];

/** Which agents the calls of the organisation may reach. Keys of members may only narrow it. */
export function OrganisationRules({ org }: { org: Organisation }) {
  const query = useQuery(get(PATH, { path: { org_id: org.org_id } }));
  return (
    <Section
      title="Which agents may be called"
      note="The rules hold for every call that the organisation pays, whichever member or key makes it. Keys may only narrow them."
    >
      <Card withBorder>
        <QueryView query={query}>
          {(rules) =>
            may(org, 'limits') ? (
              <RulesForm key={JSON.stringify(rules)} org={org} before={rules} />
            ) : (
              <Stack gap="sm">
                <Facts
                  rows={[
                    [
                      'Lowest trust score',
                      rules.min_trust_score === null ? 'Any' : String(rules.min_trust_score),
                    ],
                    ['Agents', listText(rules)],
                  ]}
                />
                <Refusal needs="limits" name={org.name} role={org.role} />
              </Stack>
            )
          }
        </QueryView>
      </Card>
    </Section>
  );
}

function listText({ agents, developers }: Rules): string {
  if (agents === null && developers === null) return 'All';
  return [...(agents ?? []), ...(developers ?? [])].join(', ');
}

const orNull = (list: string[]) => (list.length === 0 ? null : list);

function RulesForm({ org, before }: { org: Organisation; before: Rules }) {
  const queries = useQueryClient();
  const [trust, setTrust] = useState<number | string>(before.min_trust_score ?? '');
  const [agents, setAgents] = useState<string[]>(before.agents ?? []);
  const [developers, setDevelopers] = useState<string[]>(before.developers ?? []);
  const change = useMutation({
    mutationFn: () =>
      send('patch', PATH, {
        path: { org_id: org.org_id },
        body: {
          min_trust_score: trust === '' ? null : Number(trust),
          agents: orNull(agents),
          developers: orNull(developers),
        },
      }),
    onSuccess: () => {
      notifications.show({ message: 'The rules hold from the next call on.', color: 'green' });
      return queries.invalidateQueries({ queryKey: [PATH] });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <Stack gap="sm" maw={640}>
        <NumberInput
          label="Lowest trust score of an agent"
          description="Empty: any"
          value={trust}
          onChange={setTrust}
          error={problemOf(change.error, 'min_trust_score')}
          min={0}
          max={100}
          allowDecimal={false}
          hideControls
        />
        <TagsInput
          label="Only these agents"
          description="Ids of agents"
          value={agents}
          onChange={setAgents}
          error={problemOf(change.error, 'agents')}
          maxTags={MOST}
        />
        <TagsInput
          label="And all agents of these developers"
          description="Ids of developers. Both lists empty: all agents."
          value={developers}
          onChange={setDevelopers}
          error={problemOf(change.error, 'developers')}
          maxTags={MOST}
        />
        {change.isError && <Failure error={change.error} fields={FIELDS} />}
        <Group>
          <Button type="submit" variant="default" loading={change.isPending}>
            Save the rules
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
