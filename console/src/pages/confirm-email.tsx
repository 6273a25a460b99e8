import { Alert, Button, Card, Center, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../client/http';
import { sessionQuery, type Profile } from '../client/session';
import { homeOf } from '../features/account/home-of';
import { forgetMailToken, takeMailToken } from '../features/account/mail-token';
import { Resend } from '../features/account/resend';
import { LinkButton } from '../ui/link';
import { Page } from '../ui/page';
import { Empty, Failure, Waiting } from '../ui/states';
import { Written } from '../ui/written';

const PAGE = 'confirm-email';

/** Where the link of a mail leads. Only the button uses the token up: programs that open links of mails press none. */
export function ConfirmEmailPage() {
  const session = useQuery(sessionQuery);
  const [token] = useState(() => takeMailToken(PAGE));
  return (
    <Center>
      <Stack w="100%" maw={480}>
        <Page title="Confirm your email address">
          {token === undefined ? (
            <Empty title="This link has no token" action={session.data && <Resend />}>
              The link of the mail ends with # and a token. Copy the whole link, or ask for another mail.
            </Empty>
          ) : session.isPending ? (
            <Waiting lines={1} />
          ) : session.data ? (
            <Confirm token={token} profile={session.data} />
          ) : (
            <LogInFirst />
          )}
        </Page>
      </Stack>
    </Center>
  );
}

function LogInFirst() {
  return (
    <Card withBorder padding="lg">
      <Stack>
        <Text fz="sm">
          Log in with the account that the mail is about. Then you return to this page, and confirm the
          address by a button.
        </Text>
        <LinkButton to="/login" search={{ next: `/${PAGE}` }}>
          Log in
        </LinkButton>
      </Stack>
    </Card>
  );
}

function Confirm({ token, profile }: { token: string; profile: Profile }) {
  const queries = useQueryClient();
  const confirm = useMutation({
    mutationFn: () => send('post', '/v1/auth/email/confirm', { body: { token } }),
    onSuccess: () => {
      forgetMailToken(PAGE);
      return queries.invalidateQueries();
    },
  });
  if (confirm.isSuccess)
    return (
      <Alert color="green" variant="light" title="Your email address is confirmed" role="status">
        <Group>
          <LinkButton to={homeOf(profile)} size="xs">
            Go on
          </LinkButton>
        </Group>
      </Alert>
    );
  return (
    <Card withBorder padding="lg">
      <Stack>
        <Text fz="sm" className="anywhere">
          You are logged in as <Written>{profile.displayName}</Written> ({profile.email}).
        </Text>
        {confirm.isError && (
          <>
            <Failure error={confirm.error} />
            <Group>
              <Resend />
            </Group>
          </>
        )}
        <Button onClick={() => confirm.mutate()} loading={confirm.isPending}>
          Confirm the address
        </Button>
      </Stack>
    </Card>
  );
}
