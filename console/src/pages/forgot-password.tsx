import { Alert, Button, Card, Center, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../client/http';
import { AppLink } from '../ui/link';
import { Page } from '../ui/page';
import { useSearchValue } from '../ui/params';
import { Failure, problemOf } from '../ui/states';

/** Asks for a mail that resets the password. The answer is the same for every address. */
export function ForgotPasswordPage() {
  const [email, setEmail] = useState(useSearchValue('email') ?? '');
  const ask = useMutation({
    mutationFn: () => send('post', '/v1/auth/password-reset', { body: { email } }),
  });
  return (
    <Center>
      <Stack w="100%" maw={440}>
        <Page title="Set a new password">
          {ask.isSuccess ? (
            <Alert color="green" variant="light" title="Look into your mailbox" role="status">
              If {email} has an account, a mail with a link is on its way. The link works for an hour. Look
              into the spam folder, too; you can ask for another mail after a minute.
            </Alert>
          ) : (
            <Card withBorder padding="lg">
              <form
                onSubmit={(event) => {
                  event.preventDefault();
                  ask.mutate();
                }}
              >
                <Stack>
                  <Text fz="sm">You get a mail with a link to a page where you set a new password.</Text>
                  <TextInput
                    label="Email"
                    type="email"
                    value={email}
                    onChange={(event) => setEmail(event.currentTarget.value)}
                    error={problemOf(ask.error, 'email')}
                    autoComplete="username"
                    required
                    autoFocus
                  />
                  {ask.isError && <Failure error={ask.error} fields={['email']} />}
                  <Button type="submit" loading={ask.isPending}>
                    Send the mail
                  </Button>
                </Stack>
              </form>
            </Card>
          )}
          <Text fz="sm" ta="center">
            <AppLink to="/login">Back to the login</AppLink>
          </Text>
        </Page>
      </Stack>
    </Center>
  );
}
