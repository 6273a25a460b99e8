import { Button, Group, NumberInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { get } from '../../client/queries';
import { Permitted, useOwnerWords } from '../../ui/owner';
import { QueryView } from '../../ui/query-view';
import { Failure, problemOf } from '../../ui/states';

const ALERT = get('/v1/notices/balance');

/** Below which balance of its wallet the account is notified. */
export function BalanceAlert() {
  const query = useQuery(ALERT);
  return <QueryView query={query}>{(alert) => <Form key={alert.below_credits} {...alert} />}</QueryView>;
}

function Form({ below_credits: before }: Answer<'/v1/notices/balance', 'get'>) {
  const queries = useQueryClient();
  const { of, wallet } = useOwnerWords();
  const [below, setBelow] = useState<number | string>(before ?? '');
  const change = useMutation({
    mutationFn: () =>
      send('put', '/v1/notices/balance', { body: { below_credits: below === '' ? null : Number(below) } }),
    onSuccess: (now) => {
      queries.setQueryData(ALERT.queryKey, now);
      notifications.show({ message: 'Your limit is saved.', color: 'green' });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <Group align="flex-end" gap="xs" mt="md">
        <NumberInput
          label={`Tell me when ${of === '' ? 'my wallet' : wallet} has fewer credits than`}
          description="Empty: never"
          value={below}
          onChange={setBelow}
          min={1}
          allowDecimal={false}
          error={problemOf(change.error, 'below_credits')}
          maw={320}
        />
        <Permitted needs="money">
          <Button
            type="submit"
            variant="default"
            loading={change.isPending}
            disabled={below === (before ?? '')}
          >
            Set limit
          </Button>
        </Permitted>
      </Group>
      {change.isError && <Failure error={change.error} fields={['below_credits']} />}
    </form>
  );
}
