import { ActionIcon, Anchor, AppShell, Group } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useLayoutEffect, useState, type ReactNode } from 'react';
import { asOwner } from '../../client/owner';
import { sessionQuery } from '../../client/session';
import { AccountMenu } from './account-menu';
import { ActingBar } from './acting-bar';
import { Balance } from './balance';
import { Bell } from './bell';
import { Connection } from './connection';
import { RouteFocus } from './route-focus';
import { Banners } from './banners';
import { Mark } from './mark';
import { Menu } from './menu';
import { MenuButton } from './menu-button';
import { menuCounts, sumOf, useWaiting } from './waiting';
import { navigationOf } from './navigation';
import { SchemeToggle } from './scheme-toggle';

/** Loaded when it is first asked for, so that the first page stays small. */
const CommandPalette = lazy(async () => ({ default: (await import('./command-palette')).CommandPalette }));

/** Presses the button of the form in which the reader types, unless it is disabled. */
function submitForm(): void {
  const form = document.activeElement?.closest('form');
  const buttons = [...(form?.elements ?? [])].filter((one) => one instanceof HTMLButtonElement);
  buttons.find(({ type }) => type === 'submit')?.click();
}

/** The frame of the console: header, navigation by role, content. */
export function Shell({ children }: { children: ReactNode }) {
  const [opened, { toggle, close }] = useDisclosure();
  const { data: profile } = useQuery(sessionQuery);
  const owner = profile && asOwner(profile);
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  // The page has drawn a frame of its own while the console was on its way.
  useLayoutEffect(() => document.getElementById('frame')?.remove(), []);
  const groups = navigationOf(owner);
  const waiting = useWaiting(profile);
  const counts = menuCounts(waiting);
  const [isFinding, { open: find, close: stopFinding }] = useDisclosure();
  const [wasFinding, setWasFinding] = useState(false);
  const beginToFind = () => {
    setWasFinding(true);
    find();
  };
  // Wherever the focus is, also in editors.
  useHotkeys(
    [
      ['mod+K', beginToFind],
      ['mod+Enter', submitForm],
    ],
    [],
    true,
  );
  useHotkeys([['/', beginToFind]]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="lg"
    >
      <RouteFocus />
      <Suspense fallback={null}>
        {wasFinding && <CommandPalette opened={isFinding} onClose={stopFinding} profile={owner} />}
      </Suspense>
      <a href="#content" className="skip">
        Skip to the content
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <MenuButton opened={opened} onToggle={toggle} waiting={sumOf(counts)} />
            <Link to="/" className="brand" aria-label="Agent marketplace">
              <Mark />
              <span className="brand-name">Agent marketplace</span>
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Anchor href="/docs/" fz="sm" visibleFrom="xs">
              Documentation
            </Anchor>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              onClick={beginToFind}
              aria-label="Go to anything"
              aria-keyshortcuts="Control+K Meta+K /"
              title="Go to anything (/, Ctrl K or ⌘ K)"
            >
              <IconSearch size={18} stroke={1.6} />
            </ActionIcon>
            <Balance profile={owner} />
            <Bell unread={waiting?.unread} />
            <SchemeToggle />
            <AccountMenu profile={profile} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Main">
        <Menu groups={groups} pathname={pathname} counts={counts} />
      </AppShell.Navbar>
      <AppShell.Main className="shell-main" id="content" tabIndex={-1}>
        <div className="content">
          <Connection />
          {profile?.acting_for && <ActingBar acting={profile.acting_for} />}
          <Banners profile={profile} />
          {children}
        </div>
      </AppShell.Main>
    </AppShell>
  );
}
