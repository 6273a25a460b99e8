import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { send } from '../../client/http';

/** Asks for another mail with a link that confirms the address. */
export function Resend() {
  const resend = useMutation({
    mutationFn: () => send('post', '/v1/auth/email/confirmation'),
    onSuccess: () =>
      notifications.show({
        message: 'Another mail is on its way. It can take a minute; look into the spam folder, too.',
        color: 'green',
      }),
    onError: (error) => notifications.show({ message: error.message, color: 'red' }),
  });
  return (
    <Button size="compact-xs" loading={resend.isPending} onClick={() => resend.mutate()}>
      Send the mail again
    </Button>
  );
}
