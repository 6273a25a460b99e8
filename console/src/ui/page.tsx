import { Anchor, Box, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconChevronLeft } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { useSearchValue } from './params';
import { idIn, tabTitle } from './tab-title';
import { Written } from './written';

interface PageProps {
  title: string;
  /** What tells this page from others with the same title, in the name of the browser's tab: an id or a name. */
  tab?: string | undefined;
  /** Shown before the title. */
  mark?: ReactNode;
  /** Shown beside the title, such as a state. */
  aside?: ReactNode;
  subtitle?: ReactNode;
  actions?: ReactNode;
  back?: { to: string; label: string };
  children: ReactNode;
}

/** The frame of a page: the way back, title, subtitle, actions, content. It names the browser's tab. */
export function Page({ title, tab, mark, aside, subtitle, actions, back, children }: PageProps) {
  const { pathname } = useLocation();
  const view = useSearchValue('tab');
  useEffect(() => {
    document.title = tabTitle({ title, about: tab ?? idIn(pathname), view });
  }, [title, tab, pathname, view]);
  return (
    <Stack gap="lg">
      <Box>
        {back && (
          <Anchor component={Link} to={back.to} fz="sm" c="dimmed" className="back">
            <IconChevronLeft size={14} aria-hidden /> <Written>{back.label}</Written>
          </Anchor>
        )}
        <Group justify="space-between" align="flex-start" gap="sm">
          <Box miw={0} className="grow">
            <Group gap="sm">
              {mark}
              <Title order={1} className="anywhere" dir="auto">
                {title}
              </Title>
              {aside}
            </Group>
            {subtitle && (
              <Text c="dimmed" mt={4} component="div" maw={760} className="pretty">
                {subtitle}
              </Text>
            )}
          </Box>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
      </Box>
      {children}
    </Stack>
  );
}

/** A titled part of a page. */
export function Section({
  title,
  actions,
  children,
  note,
}: {
  title: string;
  actions?: ReactNode;
  note?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Stack gap="sm" component="section" aria-label={title}>
      <Group justify="space-between" gap="xs">
        <Title order={2}>{title}</Title>
        {actions}
      </Group>
      {note && (
        <Text c="dimmed" fz="sm" mt={-8} maw={760}>
          {note}
        </Text>
      )}
      {children}
    </Stack>
  );
}

/** One large figure with its name and what it means. */
export function Figure({ name, children, note }: { name: string; children: ReactNode; note?: ReactNode }) {
  return (
    <Card withBorder padding="md" className="figure">
      <Text fz="sm" c="dimmed" dir="auto">
        {name}
      </Text>
      <Text fz="1.5rem" fw={650} lh={1.3} className="figures" component="div">
        {children}
      </Text>
      {note && (
        <Text fz="xs" c="dimmed" component="div">
          {note}
        </Text>
      )}
    </Card>
  );
}

/** Names and values below each other. */
export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode] | false | undefined)[] }) {
  return (
    <dl className="facts">
      {rows
        .filter((row) => row !== false && row !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt dir="auto">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
