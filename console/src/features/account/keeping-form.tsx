import { Button, Group, NumberInput, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { get } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { Permitted } from '../../ui/owner';
import { QueryView } from '../../ui/query-view';
import { Failure, problemOf } from '../../ui/states';

const KEEPING = get('/v1/auth/keeping');

/** For how long the account keeps inputs and outputs of its calls, and erasing all of them. */
export function Keeping() {
  const query = useQuery(KEEPING);
  return <QueryView query={query}>{(keeping) => <KeepingForm key={keeping.days} {...keeping} />}</QueryView>;
}

function KeepingForm({ days: before }: Answer<'/v1/auth/keeping', 'get'>) {
  const queries = useQueryClient();
  const [days, setDays] = useState<number | string>(before);
  const change = useMutation({
    mutationFn: () => send('put', '/v1/auth/keeping', { body: { days: Number(days) } }),
    onSuccess: (now) => {
      queries.setQueryData(KEEPING.queryKey, now);
      const message =
        now.days === 0
          ? 'Your next calls are not kept.'
          : `Your next calls are kept for ${now.days} ${now.days === 1 ? 'day' : 'days'}.`;
      notifications.show({ message, color: 'green' });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <Text fz="sm" mb="sm">
        Inputs and outputs of your calls are encrypted and deleted after this many days. With them, a call
        page shows what was sent and answered, a call can be made again, and a dispute can attach them.
        Developers do not see them otherwise. At most 256 KiB of each is kept.
      </Text>
      <Group align="flex-end" gap="xs">
        <NumberInput
          label="Days to keep inputs and outputs"
          description="0 keeps nothing, 90 is the most"
          value={days}
          onChange={setDays}
          min={0}
          max={90}
          clampBehavior="none"
          allowDecimal={false}
          error={problemOf(change.error, 'days')}
          required
          maw={300}
        />
        <Permitted needs="settings">
          <Button type="submit" variant="default" loading={change.isPending} disabled={days === before}>
            Save
          </Button>
          <Ask
            action="Erase all that is kept"
            danger
            size="sm"
            question="The inputs and outputs of all calls that are kept are deleted at once. Attachments of disputes stay."
            done="All inputs and outputs that were kept are erased."
            run={() => send('delete', '/v1/auth/keeping/bodies')}
          />
        </Permitted>
      </Group>
      {change.isError && <Failure error={change.error} fields={['days']} />}
    </form>
  );
}
