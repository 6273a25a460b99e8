import { Button, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import type { ItemOf } from '../../client/queries';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';
import { WINDOWS } from '../keys/windows';

export const BUDGETS = '/v1/billing/budgets';
export type Budget = ItemOf<typeof BUDGETS>;

/** Sets a budget, or changes the credits of one. */
export function EditBudget({ budget }: { budget?: Budget }) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [credits, setCredits] = useState<number | string>(budget?.credits ?? 500);
  const [window, setWindow] = useState('month');
  const [tag, setTag] = useState('');
  const mutation = useMutation({
    mutationFn: (): Promise<unknown> =>
      budget
        ? send('patch', '/v1/billing/budgets/{budget_id}', {
            path: { budget_id: budget.budget_id },
            body: { credits: Number(credits) },
          })
        : send('post', BUDGETS, {
            body: {
              credits: Number(credits),
              window: window as Budget['window'],
              tag: tag === '' ? null : tag,
            },
          }),
    onSuccess: () => {
      close();
      return queries.invalidateQueries({ queryKey: [BUDGETS] });
    },
  });
  return (
    <>
      <Button variant="default" size={budget ? 'xs' : 'sm'} onClick={open}>
        {budget ? 'Change' : 'Set a budget'}
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title={budget ? 'Change the budget' : 'Set a budget'}
        action="Save"
        mutation={mutation}
        fields={['credits', 'window', 'tag']}
      >
        <NumberInput
          label="Budget in credits"
          description="Calls that are accepted from now on count. One that could exceed the budget is refused."
          value={credits}
          onChange={setCredits}
          error={problemOf(mutation.error, 'credits')}
          min={0}
          allowDecimal={false}
          hideControls
          required
          data-autofocus
        />
        {!budget && (
          <>
            <NativeSelect
              label="The budget is for"
              data={WINDOWS}
              value={window}
              onChange={(event) => setWindow(event.currentTarget.value)}
              error={problemOf(mutation.error, 'window')}
            />
            <TextInput
              label="Only calls with the tag"
              description="A pair of metadata. Empty: all calls of the account."
              placeholder="project=atlas"
              value={tag}
              onChange={(event) => setTag(event.currentTarget.value)}
              error={problemOf(mutation.error, 'tag')}
              maxLength={141}
            />
          </>
        )}
      </FormModal>
    </>
  );
}
