import { Button, Group, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { ListTable } from '../../ui/data-table';
import { FormModal } from '../../ui/form-modal';
import { Section } from '../../ui/page';
import { Empty, problemOf } from '../../ui/states';
import { Time } from '../../ui/time';
import { Written } from '../../ui/written';
import { Spend } from '../keys/spend';
import { WINDOWS } from '../keys/windows';

type Budget = ItemOf<'/v1/billing/budgets'>;
const PATH = '/v1/billing/budgets';

/** What the calls of the account, or those with a tag, may cost in a window. */
export function Budgets() {
  const query = useInfiniteQuery(list(PATH, { query: { limit: 20 } }));
  return (
    <Section title="Budgets" actions={<EditBudget />}>
      <ListTable<Budget>
        label="Budgets"
        query={query}
        keyOf={({ budget_id: id }) => id}
        empty={
          <Empty title="No budgets">
            A budget bounds what all calls of the account, or those with a tag, cost in a day, a week or a
            month.
          </Empty>
        }
        columns={[
          { title: 'For', cell: ({ tag }) => (tag === null ? 'All calls' : <Written>{tag}</Written>) },
          {
            title: 'Each',
            cell: ({ window }) => WINDOWS.find(({ value }) => value === window)?.label ?? window,
          },
          {
            title: 'Spent',
            right: true,
            cell: ({ used_credits: used, credits }) => <Spend spent={used} cap={credits} />,
          },
          {
            title: 'Begins anew',
            cell: ({ window_ends_at: at }) => (at === null ? 'Never' : <Time at={at} />),
          },
          { title: '', right: true, cell: (budget) => <Actions budget={budget} /> },
        ]}
      />
    </Section>
  );
}

function Actions({ budget }: { budget: Budget }) {
  const { budget_id: id, credits } = budget;
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <EditBudget key={credits} budget={budget} />
      <Ask
        action="Delete"
        danger
        question="Calls are no longer bounded by this budget."
        done="The budget is deleted."
        run={() => send('delete', '/v1/billing/budgets/{budget_id}', { path: { budget_id: id } })}
      />
    </Group>
  );
}

/** Sets a budget, or changes the credits of one. */
function EditBudget({ budget }: { budget?: Budget }) {
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
        : send('post', PATH, {
            body: {
              credits: Number(credits),
              window: window as Budget['window'],
              tag: tag === '' ? null : tag,
            },
          }),
    onSuccess: () => {
      close();
      return queries.invalidateQueries({ queryKey: [PATH] });
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
