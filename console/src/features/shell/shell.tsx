import { Anchor, AppShell, Burger, Group, NavLink, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { sessionQuery } from '../../client/session';
import { AccountMenu } from './account-menu';
import { Banners } from './banners';
import { Mark } from './mark';
import { navigationOf, type Destination } from './navigation';
import { SchemeToggle } from './scheme-toggle';

/** The frame of the console: header, navigation by role, content. */
export function Shell({ children }: { children: ReactNode }) {
  const [opened, { toggle, close }] = useDisclosure();
  const { data: profile } = useQuery(sessionQuery);
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  const groups = navigationOf(profile);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="lg"
    >
      <a href="#content" className="skip">
        Skip to the content
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close the navigation' : 'Open the navigation'}
            />
            <Link to="/" className="brand">
              <Mark />
              <span className="brand-name">Agent marketplace</span>
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Anchor href="/docs/" fz="sm" visibleFrom="xs">
              Documentation
            </Anchor>
            <SchemeToggle />
            <AccountMenu profile={profile} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Main">
        <ScrollArea>
          {groups.map(({ label, items }) => (
            <div key={label} role="group" aria-label={label}>
              <Text fz="xs" c="dimmed" fw={600} px="sm" pt="md" pb={4}>
                {label}
              </Text>
              {items.map((item) => (
                <Entry
                  key={item.to}
                  item={item}
                  active={
                    item.to ===
                    activeOf(
                      pathname,
                      groups.flatMap((group) => group.items),
                    )
                  }
                />
              ))}
            </div>
          ))}
          <Help />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main className="shell-main" id="content" tabIndex={-1}>
        <div className="content">
          <Banners profile={profile} />
          {children}
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

/** What is outside of the console. */
function Help() {
  return (
    <div role="group" aria-label="Help">
      <Text fz="xs" c="dimmed" fw={600} px="sm" pt="md" pb={4}>
        Help
      </Text>
      <NavLink
        href="/docs/"
        label="Documentation"
        leftSection={<IconBook size={18} stroke={1.6} aria-hidden />}
        py={7}
        style={{ borderRadius: 8 }}
      />
    </div>
  );
}

function Entry({ item: { to, label, icon: Icon }, active }: { item: Destination; active: boolean }) {
  return (
    <NavLink
      component={Link}
      to={to}
      // The router marks every destination that the address begins with; one alone is shown as the current one.
      activeOptions={{ exact: true }}
      label={label}
      active={active}
      leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
      py={7}
      style={{ borderRadius: 8 }}
      aria-current={active ? 'page' : undefined}
    />
  );
}

/** The destination whose address is the longest beginning of the current one. */
function activeOf(pathname: string, items: readonly Destination[]): string | undefined {
  const path = pathname.replace(/\/$/, '') || '/';
  const begins = (address: string) => path === address || path.startsWith(`${address}/`);
  const special = items.find(({ below }) => below !== undefined && begins(below));
  if (special) return special.to;
  const found = items.filter(({ to }) =>
    to === '/' ? path === '/' || path.startsWith('/agents/') : begins(to),
  );
  return found.sort((a, b) => b.to.length - a.to.length)[0]?.to;
}
