import { Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconCheck } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { get } from '../../client/queries';
import { chooseOwner, type Profile } from '../../client/session';
import { Written } from '../../ui/written';
import { homeOf } from '../account/home-of';

/** The menu has room for the newest ones; the page of organisations has all of them. */
const MOST = 8;

/** In the account menu: for whom the page acts, the person or an organisation. It is read when the menu opens. */
export function OwnerChoice({ profile }: { profile: Profile }) {
  const navigate = useNavigate();
  const { data } = useQuery(get('/v1/organisations', { query: { limit: MOST } }));
  const choose = useMutation({
    mutationFn: chooseOwner,
    onSuccess: (now) => navigate({ to: homeOf(now) }),
    onError: ({ message }) => notifications.show({ message, color: 'red' }),
  });
  const present = profile.acting_for?.owner_id ?? null;
  if (!data || (data.items.length === 0 && present === null)) return null;
  const owners = [
    { id: null, name: 'Your own account' },
    ...data.items.map(({ org_id: id, name }) => ({ id, name })),
  ];
  return (
    <>
      <Menu.Divider />
      <Menu.Label>Act for</Menu.Label>
      {owners.map(({ id, name }) => (
        <Menu.Item
          key={id}
          onClick={() => id !== present && choose.mutate(id)}
          rightSection={id === present && <IconCheck size={16} aria-label="now" />}
        >
          <Written>{name}</Written>
        </Menu.Item>
      ))}
    </>
  );
}
