import { NativeSelect, NumberInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { send } from '../../client/http';
import type { ItemOf } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { isolated } from '../../ui/isolated';
import { Time } from '../../ui/time';
import { Spend } from '../keys/spend';
import { WINDOWS } from '../keys/windows';
import type { Organisation } from './organisation';

export type Member = ItemOf<'/v1/organisations/{org_id}/members'>;
type Window = NonNullable<Member['budget']>['window'];
const PATH = '/v1/organisations/{org_id}/members/{user_id}/budget';

interface MemberProps {
  org: Organisation;
  member: Member;
}

const pathOf = ({ org, member }: MemberProps) => ({ org_id: org.org_id, user_id: member.user_id });

/** What a member has spent of the own budget. A role that sees no money sees nothing of others. */
export function BudgetOf({ budget }: Pick<Member, 'budget'>) {
  if (budget === undefined) return <>–</>;
  if (budget === null) return <>No budget</>;
  return (
    <Stack gap={0} align="flex-end">
      <Spend spent={budget.used_credits} cap={budget.credits} />
      {budget.window_ends_at !== null && (
        <Text fz="xs" c="dimmed" component="span">
          each {budget.window}, anew <Time at={budget.window_ends_at} />
        </Text>
      )}
    </Stack>
  );
}

/** Sets what a member may spend, or removes it. */
export function ChangeBudget({ org, member }: MemberProps) {
  const { budget, name } = member;
  const [credits, setCredits] = useState<number | string>(budget?.credits ?? 500);
  const [window, setWindow] = useState<Window>(budget?.window ?? 'month');
  const path = pathOf({ org, member });
  return (
    <>
      <Ask
        action={budget ? 'Change the budget' : 'Set a budget'}
        confirm="Save the budget"
        question={`Calls that ${isolated(name)} makes for ${isolated(org.name)} from now on count, also by keys. One that could exceed the budget is refused.`}
        fields={
          <>
            <NumberInput
              label="Budget in credits"
              value={credits}
              onChange={setCredits}
              min={0}
              allowDecimal={false}
              hideControls
              required
              data-autofocus
            />
            <NativeSelect
              label="The budget is for"
              data={WINDOWS}
              value={window}
              onChange={(event) => setWindow(event.currentTarget.value as Window)}
            />
          </>
        }
        ready={credits !== ''}
        done="The budget is saved."
        run={() => send('put', PATH, { path, body: { credits: Number(credits), window } })}
      />
      {budget && (
        <Ask
          action="Remove the budget"
          question={`${isolated(name)} may spend what ${isolated(org.name)} has, within its other budgets.`}
          done="The budget is removed."
          run={() => send('delete', PATH, { path })}
        />
      )}
    </>
  );
}
