import { Alert, Button, Card, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../client/http';
import type { Profile } from '../client/session';
import { forgetMailToken } from '../features/account/mail-token';
import { TokenPage, WithSession } from '../features/account/token-page';
import { ActFor } from '../features/organisations/act-for';
import { LinkButton } from '../ui/link';
import { Failure } from '../ui/states';
import { Written } from '../ui/written';

const PAGE = 'invitation';

export function InvitationPage() {
  return (
    <TokenPage
      page={PAGE}
      title="Join an organisation"
      another={{ words: ', or ask for another invitation' }}
    >
      {(token) => (
        <WithSession
          page={PAGE}
          words="Log in with the account of the address that was invited, or create it and confirm the address. Then you return to this page, and accept by a button."
        >
          {(profile) => <Accept token={token} profile={profile} />}
        </WithSession>
      )}
    </TokenPage>
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
        <Group gap="xs" mt="sm">
          <ActFor orgId={accept.data.org_id} />
          <LinkButton to={`/organisations/${accept.data.org_id}`} size="xs" variant="default">
            Show the organisation
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
        {accept.isError && <Failure error={accept.error} />}
        <Button onClick={() => accept.mutate()} loading={accept.isPending}>
          Accept the invitation
        </Button>
      </Stack>
    </Card>
  );
}
