import { NavLink, ScrollArea, Text } from '@mantine/core';
import { IconBook } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Destination, Group } from './navigation';

/** The navigation: its groups, and what is outside of the console. */
export function Menu({ groups, pathname }: { groups: readonly Group[]; pathname: string }) {
  return (
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
