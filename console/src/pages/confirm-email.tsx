import { Alert, Button, Card, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { send } from '../client/http';
import { sessionQuery, type Profile } from '../client/session';
import { homeOf } from '../features/account/home-of';
import { forgetMailToken } from '../features/account/mail-token';
import { Resend } from '../features/account/resend';
import { TokenPage, WithSession } from '../features/account/token-page';
import { LinkButton } from '../ui/link';
import { Failure } from '../ui/states';
import { Written } from '../ui/written';

const PAGE = 'confirm-email';

export function ConfirmEmailPage() {
  const session = useQuery(sessionQuery);
  const another = { words: ', or ask for another mail', action: session.data && <Resend /> };
  return (
    <TokenPage page={PAGE} title="Confirm your email address" another={another}>
      {(token) => (
        <WithSession
          page={PAGE}
          words="Log in with the account that the mail is about. Then you return to this page, and confirm the address by a button."
        >
          {(profile) => <Confirm token={token} profile={profile} />}
        </WithSession>
      )}
    </TokenPage>
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
