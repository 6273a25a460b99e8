import { Button, Group, Select } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { sessionQuery, type Profile } from '../../client/session';
import { Failure, problemOf } from '../../ui/states';

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

/** Changes the time zone in which the days, weeks and months of budgets begin. */
export function TimeZoneForm({ profile }: { profile: Profile }) {
  const queries = useQueryClient();
  const [zone, setZone] = useState(profile.time_zone);
  const change = useMutation({
    mutationFn: () => send('patch', '/v1/auth/me', { body: { time_zone: zone } }),
    onSuccess: (changed) => {
      queries.setQueryData(sessionQuery.queryKey, { ...profile, ...changed });
      notifications.show({ message: 'Your time zone is changed.', color: 'green' });
    },
  });
  const zones = ZONES.includes(profile.time_zone) ? ZONES : [profile.time_zone, ...ZONES];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <Group align="flex-end" gap="xs">
        <Select
          label="Time zone"
          description="Budgets for a day, a week or a month begin in this zone. One that runs ends as it would have."
          data={zones}
          value={zone}
          onChange={(value) => setZone(value ?? zone)}
          error={problemOf(change.error, 'time_zone')}
          searchable
          allowDeselect={false}
          className="grow"
          maw={440}
        />
        <Button
          type="submit"
          variant="default"
          loading={change.isPending}
          disabled={zone === profile.time_zone}
        >
          Change the time zone
        </Button>
      </Group>
      {change.isError && <Failure error={change.error} fields={['time_zone']} />}
    </form>
  );
}
