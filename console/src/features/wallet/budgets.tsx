import { Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { send } from '../../client/http';
import { list } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { ListTable } from '../../ui/data-table';
import { Permitted } from '../../ui/owner';
import { Section } from '../../ui/page';
import { Empty } from '../../ui/states';
import { Time } from '../../ui/time';
import { Written } from '../../ui/written';
import { Spend } from '../keys/spend';
import { WINDOWS } from '../keys/windows';
import { BUDGETS as PATH, EditBudget, type Budget } from './edit-budget';

/** What the calls of the account, or those with a tag, may cost in a window. */
export function Budgets() {
  const query = useInfiniteQuery(list(PATH, { query: { limit: 20 } }));
  return (
    <Section
      title="Budgets"
      actions={
        <Permitted needs="money">
          <EditBudget />
        </Permitted>
      }
    >
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
          {
            title: '',
            right: true,
            cell: (budget) => (
              <Permitted needs="money" quiet>
                <Actions budget={budget} />
              </Permitted>
            ),
          },
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
