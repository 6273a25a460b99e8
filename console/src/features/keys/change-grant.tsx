import { Button, NumberInput, TagsInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import type { ItemOf } from '../../client/queries';
import { FormModal } from '../../ui/form-modal';
import { isolated } from '../../ui/isolated';
import { problemOf } from '../../ui/states';
import { BUDGET_FIELDS, budgetBody, BudgetFields, type Budget } from './budget-fields';

type Grant = ItemOf<'/v1/oauth/grants'>;

const numberOf = (value: number | string) => (value === '' ? null : Number(value));

/** Changes the limits of an application that may call all agents. */
export function ChangeGrant({ grant }: { grant: Grant }) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [budget, setBudget] = useState<Budget>({
    cap: grant.credit_cap ?? '',
    window: grant.credit_cap_window,
  });
  const [call, setCall] = useState<number | string>(grant.call_cap ?? '');
  const [trust, setTrust] = useState<number | string>(grant.min_trust_score ?? '');
  const [agents, setAgents] = useState<string[]>(grant.agents ?? []);
  const [pinned, setPinned] = useState<string[]>(grant.pinned_agents ?? []);
  const mutation = useMutation({
    mutationFn: () =>
      send('patch', '/v1/oauth/grants/{grant_id}', {
        path: { grant_id: grant.grant_id },
        body: {
          ...budgetBody(budget),
          call_cap: numberOf(call),
          min_trust_score: numberOf(trust),
          agents: agents.length === 0 ? null : agents,
          pinned_agents: pinned.length === 0 ? null : pinned,
        },
      }),
    onSuccess: () => {
      close();
      return queries.invalidateQueries({ queryKey: ['/v1/oauth/grants'] });
    },
  });
  const error = (field: string) => problemOf(mutation.error, field);
  const whole = { min: 0, allowDecimal: false, hideControls: true };
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        Change
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title={`Change "${isolated(grant.client_name)}"`}
        action="Save"
        mutation={mutation}
        fields={[...BUDGET_FIELDS, 'call_cap', 'min_trust_score', 'agents', 'pinned_agents']}
      >
        <BudgetFields
          value={budget}
          onChange={setBudget}
          error={mutation.error}
          description="Empty: no budget."
          isFirst
        />
        <NumberInput
          label="Most credits for one call"
          value={call}
          onChange={setCall}
          error={error('call_cap')}
          {...whole}
        />
        <NumberInput
          label="Lowest trust score of an agent"
          value={trust}
          onChange={setTrust}
          error={error('min_trust_score')}
          max={100}
          {...whole}
        />
        <TagsInput
          label="Only these agents"
          description="Ids of agents. Empty: all agents."
          value={agents}
          onChange={setAgents}
          error={error('agents')}
          maxTags={40}
        />
        <TagsInput
          label="Pinned agents"
          description="Ids of agents. Each is a tool of its own; the application finds the others by search."
          value={pinned}
          onChange={setPinned}
          error={error('pinned_agents')}
          maxTags={40}
        />
      </FormModal>
    </>
  );
}
