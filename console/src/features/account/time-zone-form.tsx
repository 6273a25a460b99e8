import { Button, Group, Select } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import type { Profile } from '../../client/session';
import { Failure, problemOf } from '../../ui/states';

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

/** Changes the time zone in which the days, weeks and months of the person's budgets begin. */
export function TimeZoneForm({ profile }: { profile: Profile }) {
  return (
    <ZoneForm
      before={profile.time_zone}
      save={(zone) => send('patch', '/v1/auth/me', { body: { time_zone: zone } })}
    />
  );
}

interface ZoneFormProps {
  before: string;
  save: (zone: string) => Promise<unknown>;
}

/** Changes the time zone of an account. */
export function ZoneForm({ before, save }: ZoneFormProps) {
  const queries = useQueryClient();
  const [zone, setZone] = useState(before);
  const change = useMutation({
    mutationFn: () => save(zone),
    onSuccess: () => {
      notifications.show({ message: 'The time zone is changed.', color: 'green' });
      return queries.invalidateQueries();
    },
  });
  const zones = ZONES.includes(before) ? ZONES : [before, ...ZONES];
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
        <Button type="submit" variant="default" loading={change.isPending} disabled={zone === before}>
          Change the time zone
        </Button>
      </Group>
      {change.isError && <Failure error={change.error} fields={['time_zone']} />}
    </form>
  );
}
