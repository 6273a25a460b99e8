import { Button, Group, NumberInput, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { FormModal } from '../../ui/form-modal';
import { formatCode } from '../../ui/format';

const UNITS = [
  { value: '60', label: 'minutes' },
  { value: '3600', label: 'hours' },
  { value: '86400', label: 'days' },
];

/** What happened, by the state that the workflow has afterwards. */
function outcomeOf(state: string): string {
  if (state === 'running') return 'The timers up to then have fired. The workflow is still running.';
  if (state === 'moving') return 'The clock moves: the workflow waits for something that takes real time.';
  return `The workflow has ended: ${formatCode(state).toLowerCase()}.`;
}

/** Moves the clock of one workflow forward, as `market time-travel` does. There is none in production. */
export function FastForward({ workflowId }: { workflowId: string }) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [amount, setAmount] = useState<string | number>(72);
  const [unit, setUnit] = useState('3600');
  const move = useMutation({
    mutationFn: () =>
      send('post', '/v1/operator/workflows/fast-forward', {
        body: { workflow_id: workflowId, seconds: Math.round(Number(amount) * Number(unit)) },
      }),
    onSuccess: ({ state }) => {
      notifications.show({ message: outcomeOf(state), color: 'green' });
      close();
      return queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button variant="subtle" size="compact-xs" onClick={open}>
        Fast-forward
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title={`Fast-forward ${workflowId}`}
        action="Move the clock"
        mutation={move}
        disabled={amount === ''}
      >
        <p className="timeline-note">
          Its timers fire as if the time had passed. The database and other workflows keep their time.
        </p>
        <Group align="flex-end" grow>
          <NumberInput
            label="By"
            value={amount}
            onChange={setAmount}
            min={1}
            max={100_000}
            required
            data-autofocus
          />
          <Select
            label="Unit"
            data={UNITS}
            value={unit}
            onChange={(value) => value && setUnit(value)}
            allowDeselect={false}
          />
        </Group>
      </FormModal>
    </>
  );
}
