import { Avatar, Group, Menu, Stack, Text, UnstyledButton } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { send } from '../../client/http';
import { organisationName } from '../../client/owner';
import { changeSession, type Profile } from '../../client/session';
import { LinkButton } from '../../ui/link';
import { OwnerChoice } from './owner-choice';

/** Log-in and sign-up for visitors; the account's name, and the way out, for others. */
export function AccountMenu({ profile }: { profile: Profile | null | undefined }) {
  const navigate = useNavigate();
  const { href } = useLocation();
  if (profile === undefined) return null;
  if (profile === null) {
    const isBegin = /^\/($|login|signup|enter|forgot-password|reset-password)/.test(href);
    const search: Record<string, string> = isBegin ? {} : { next: href };
    return (
      <>
        <LinkButton to="/login" search={search} variant="default" size="xs">
          Log in
        </LinkButton>
        <LinkButton to="/signup" search={search} size="xs">
          Sign up
        </LinkButton>
      </>
    );
  }
  const logOut = async () => {
    await send('post', '/v1/auth/logout');
    changeSession(null);
    await navigate({ to: '/' });
  };
  const organisation = organisationName(profile);
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <UnstyledButton title="Account menu">
          <Group gap={8} wrap="nowrap">
            <Avatar size={30} radius="xl" color="teal" name={profile.displayName} />
            <Stack gap={0} visibleFrom="sm">
              <Text fz="sm" fw={500} maw={160} truncate dir="auto">
                {profile.displayName}
              </Text>
              {organisation !== undefined && (
                <Text fz="xs" c="dimmed" maw={160} truncate dir="auto" lh={1.1}>
                  {organisation}
                </Text>
              )}
            </Stack>
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {profile.email}
          <br />
          {profile.role}
        </Menu.Label>
        <Menu.Item onClick={() => void navigate({ to: '/account' })}>Account and security</Menu.Item>
        <Menu.Item onClick={() => void navigate({ to: '/organisations' })}>Organisations</Menu.Item>
        <OwnerChoice profile={profile} />
        <Menu.Divider />
        <Menu.Item onClick={() => void logOut()}>Log out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
