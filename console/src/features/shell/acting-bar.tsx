import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ActingFor } from '../../client/owner';
import { chooseOwner } from '../../client/session';
import { AppLink, LinkButton } from '../../ui/link';
import { Written } from '../../ui/written';

/** On every page: the organisation for which the page acts, in which role, and the way back to the own account. */
export function ActingBar({ acting }: { acting: ActingFor }) {
  const { account, member_role: role, owner_id: id, refused } = acting;
  if (refused !== null || !account) return <Refused acting={acting} />;
  return (
    <Group gap="xs" mb="md" className="banner" role="region" aria-label="For whom you act">
      <Text fz="sm" component="div">
        You act for{' '}
        <AppLink to={`/organisations/${id}`} fw={600}>
          <Written>{account.name}</Written>
        </AppLink>
        , as {role}.
      </Text>
      <OwnAccount />
    </Group>
  );
}

function Refused({ acting: { owner_id: id, account, refused } }: { acting: ActingFor }) {
  const organisation = account ? <Written>{account.name}</Written> : 'the organisation that you chose';
  return (
    <Alert color="yellow" variant="light" mb="lg" className="banner" role="alert">
      <Text fz="sm" component="div" mb={6}>
        {refused === 'not_a_member' && <>You are no member of {organisation} any more.</>}
        {refused === 'second_factor' && (
          <>
            {organisation} requires a second factor. Set up an authenticator app under{' '}
            <AppLink to="/account">Profile and security</AppLink> if you have none, then log out and log in
            with its code.
          </>
        )}
        {refused === 'company_sign_in' && (
          <>Members act for {organisation} in sessions of its company sign-in only.</>
        )}
      </Text>
      <Group gap="xs">
        {refused === 'company_sign_in' && (
          <Button
            component="a"
            href={`/v1/auth/sso?organisation=${encodeURIComponent(id)}&return_to=/console/`}
            size="compact-xs"
          >
            Log in with your company
          </Button>
        )}
        <OwnAccount />
        <LinkButton to="/organisations" size="compact-xs" variant="default">
          Organisations
        </LinkButton>
      </Group>
    </Alert>
  );
}

function OwnAccount() {
  const navigate = useNavigate();
  const choose = useMutation({
    mutationFn: () => chooseOwner(null),
    onSuccess: () => navigate({ to: '/' }),
  });
  return (
    <Button size="compact-xs" variant="default" onClick={() => choose.mutate()} loading={choose.isPending}>
      Act for yourself
    </Button>
  );
}
