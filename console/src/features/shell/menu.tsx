import { Badge, NavLink, ScrollArea, Text } from '@mantine/core';
import { IconBook } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { formatWhole } from '../../ui/format';
import type { Destination, Group } from './navigation';

interface MenuProps {
  groups: readonly Group[];
  pathname: string;
  /** How many things wait on a page. */
  counts: Readonly<Record<string, number>>;
}

/** The navigation: its groups, and what is outside of the console. */
export function Menu({ groups, pathname, counts }: MenuProps) {
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
              waiting={counts[item.to] ?? 0}
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

interface EntryProps {
  item: Destination;
  active: boolean;
  waiting: number;
}

function Entry({ item: { to, label, icon: Icon }, active, waiting }: EntryProps) {
  return (
    <NavLink
      component={Link}
      to={to}
      // The router marks every destination that the address begins with; one alone is shown as the current one.
      activeOptions={{ exact: true }}
      label={label}
      active={active}
      leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
      rightSection={
        waiting > 0 && (
          <Badge size="sm" circle={waiting < 10} color="red.8">
            {formatWhole(waiting)}
            <span className="visually-hidden"> for you to answer</span>
          </Badge>
        )
      }
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
