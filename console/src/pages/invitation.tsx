import { Alert, Button, Card, Center, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../client/http';
import { sessionQuery, type Profile } from '../client/session';
import { forgetMailToken, takeMailToken } from '../features/account/mail-token';
import { LinkButton } from '../ui/link';
import { Page } from '../ui/page';
import { Empty, Failure, Waiting } from '../ui/states';
import { Written } from '../ui/written';

const PAGE = 'invitation';

/** Where the mail of an invitation leads. Only the button uses the token up. */
export function InvitationPage() {
  const session = useQuery(sessionQuery);
  const [token] = useState(() => takeMailToken(PAGE));
  return (
    <Center>
      <Stack w="100%" maw={480}>
        <Page title="Join an organisation">
          {token === undefined ? (
            <Empty title="This link has no token">
              The link of the mail ends with # and a token. Copy the whole link, or ask for another
              invitation.
            </Empty>
          ) : session.isPending ? (
            <Waiting lines={1} />
          ) : session.data ? (
            <Accept token={token} profile={session.data} />
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
          Log in with the account of the address that was invited, or create it and confirm the address. Then
          you return to this page, and accept by a button.
        </Text>
        <LinkButton to="/login" search={{ next: `/${PAGE}` }}>
          Log in
        </LinkButton>
      </Stack>
    </Card>
  );
}

function Accept({ token, profile }: { token: string; profile: Profile }) {
  const queries = useQueryClient();
  const accept = useMutation({
    mutationFn: () => send('post', '/v1/organisations/invitations/accept', { body: { token } }),
    onSuccess: () => {
      forgetMailToken(PAGE);
      return queries.invalidateQueries();
    },
  });
  if (accept.isSuccess)
    return (
      <Alert color="green" variant="light" title="You are a member" role="status">
        <Text fz="sm">
          <Written>{accept.data.name}</Written>, with the role {accept.data.role}.
        </Text>
      </Alert>
    );
  return (
    <Card withBorder padding="lg">
      <Stack>
        <Text fz="sm" className="anywhere">
          You are logged in as <Written>{profile.displayName}</Written> ({profile.email}).
        </Text>
        {accept.isError && <Failure error={accept.error} />}
        <Button onClick={() => accept.mutate()} loading={accept.isPending}>
          Accept the invitation
        </Button>
      </Stack>
    </Card>
  );
}
