import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { chooseOwner, sessionQuery } from '../../client/session';
import { Status } from '../../ui/status';

/** Makes the page act for an organisation, or says that it does. */
export function ActFor({ orgId }: { orgId: string }) {
  const present = useQuery(sessionQuery).data?.acting_for?.owner_id;
  const choose = useMutation({
    mutationFn: () => chooseOwner(orgId),
    onError: ({ message }) => notifications.show({ message, color: 'red' }),
  });
  if (present === orgId) return <Status value="active" label="You act for it" />;
  return (
    <Button variant="default" size="xs" onClick={() => choose.mutate()} loading={choose.isPending}>
      Act for it
    </Button>
  );
}
