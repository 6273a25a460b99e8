import { Button, NumberInput, TagsInput, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import type { ItemOf } from '../../client/queries';
import { FormModal } from '../../ui/form-modal';
import { formatCredits } from '../../ui/format';
import { isolated } from '../../ui/isolated';
import { problemOf } from '../../ui/states';
import { BUDGET_FIELDS, budgetBody, BudgetFields, type Budget } from './budget-fields';

const numberOf = (value: number | string) => (value === '' ? null : Number(value));

/** Changes the name and the limits of a key. */
export function ChangeKey({ apiKey }: { apiKey: ItemOf<'/v1/keys'> }) {
  const { key_id: id, spent_credits: spent } = apiKey;
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [name, setName] = useState(apiKey.name);
  const [budget, setBudget] = useState<Budget>({
    cap: apiKey.credit_cap ?? '',
    window: apiKey.credit_cap_window,
  });
  const [trust, setTrust] = useState<number | string>(apiKey.min_trust_score ?? '');
  const [agents, setAgents] = useState<string[]>(apiKey.agents ?? []);
  const mutation = useMutation({
    mutationFn: () =>
      send('patch', '/v1/keys/{key_id}', {
        path: { key_id: id },
        body: {
          name,
          ...budgetBody(budget),
          min_trust_score: numberOf(trust),
          agents: agents.length === 0 ? null : agents,
        },
      }),
    onSuccess: () => {
      close();
      return queries.invalidateQueries({ queryKey: ['/v1/keys'] });
    },
  });
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        Change
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title={`Change "${isolated(apiKey.name)}"`}
        action="Save"
        mutation={mutation}
        fields={['name', ...BUDGET_FIELDS, 'min_trust_score', 'agents']}
      >
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problemOf(mutation.error, 'name')}
          maxLength={80}
          required
          data-autofocus
        />
        <BudgetFields
          label="Credit cap"
          value={budget}
          onChange={setBudget}
          error={mutation.error}
          description={`The key has spent ${formatCredits(spent)} in its life. Empty: no cap.`}
        />
        <NumberInput
          label="Lowest trust score of an agent"
          value={trust}
          onChange={setTrust}
          error={problemOf(mutation.error, 'min_trust_score')}
          min={0}
          max={100}
          allowDecimal={false}
          hideControls
        />
        <TagsInput
          label="Only these agents"
          description="Ids of agents. Empty: all agents."
          value={agents}
          onChange={setAgents}
          error={problemOf(mutation.error, 'agents')}
          maxTags={40}
        />
      </FormModal>
    </>
  );
}
