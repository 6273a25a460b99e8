import { Alert, Button, Code, Group, Skeleton, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconAlertTriangle, IconCloudOff, IconInbox, IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError } from '../client/http';
import { sessionQuery } from '../client/session';
import { CopyIcon } from './id';
import { LinkButton } from './link';
import { LoginWay } from './login-way';

/** Grey lines where the content will be. */
export function Waiting({ lines = 4, height = 44 }: { lines?: number; height?: number }) {
  return (
    <Stack gap="xs" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_none, index) => (
        <Skeleton key={index} height={height} radius="sm" />
      ))}
    </Stack>
  );
}

/** Nothing is here yet: why, and what to do about it. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" className="empty">
      <ThemeIcon variant="light" color="gray" size={44} radius="xl" aria-hidden>
        <IconInbox size={22} />
      </ThemeIcon>
      <Text fw={600}>{title}</Text>
      {children && (
        <Text c="dimmed" fz="sm" ta="center" maw={440}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}

const TITLES: Record<string, string> = {
  network: 'No answer',
  outcome_unknown: 'We do not know yet',
  not_found: 'Not found',
  not_authenticated: 'Log in to see this',
  forbidden: 'Not for this account',
  rate_limited: 'Too many requests',
  insufficient_credits: 'Not enough credits',
  engine_unavailable: 'The engine is away',
};

/** A failure, with the API's own message, its code and its trace id. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const known = error instanceof ApiError ? error : undefined;
  const icon =
    known?.code === 'network' ? (
      <IconCloudOff />
    ) : known?.status === 401 ? (
      <IconLock />
    ) : (
      <IconAlertTriangle />
    );
  const isQuiet = known !== undefined && [401, 404].includes(known.status);
  return (
    <Alert
      color={isQuiet ? 'gray' : 'red'}
      variant="light"
      icon={icon}
      title={TITLES[known?.code ?? ''] ?? 'This did not work'}
      role="alert"
    >
      <Stack gap={6}>
        <Text fz="sm">{known?.code === 'not_authenticated' ? ACCOUNT_NEEDED : messageOf(error)}</Text>
        {known && known.detail.length > 0 && <Problems error={known} />}
        <Group gap="xs">
          {known && known.code !== 'network' && <Code className="plain-code">{known.code}</Code>}
          {known?.traceId && (
            <Group gap={2} wrap="nowrap">
              <Text fz="xs" c="dimmed" className="anywhere">
                Trace {known.traceId}
              </Text>
              <CopyIcon value={known.traceId} label="Copy trace id" />
            </Group>
          )}
          {retry && (
            <Button size="compact-xs" variant="default" onClick={retry}>
              Try again
            </Button>
          )}
          {known?.code === 'not_authenticated' && <LoginWay />}
          {known?.status === 404 && <OperatorWay />}
          {known?.code === 'insufficient_credits' && (
            <LinkButton to="/wallet" size="compact-xs" variant="default">
              Add credits
            </LinkButton>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

const ACCOUNT_NEEDED = 'You need an account for this page. After the login you return to it.';

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** An operator finds what belongs to others by its id, such as the call that `market open` leads to. */
function OperatorWay() {
  const profile = useQuery(sessionQuery).data;
  const id = useLocation().pathname.split('/').pop();
  if (profile?.role !== 'operator' || !id?.includes('_')) return null;
  return (
    <LinkButton to="/operator" search={{ find: id }} size="compact-xs" variant="default">
      Find it as an operator
    </LinkButton>
  );
}

/** Every invalid field with its problem. */
function Problems({ error }: { error: ApiError }) {
  return (
    <ul className="problems">
      {error.detail.map(({ loc, msg }, index) => (
        <li key={index}>
          <Code className="plain-code">{loc.filter((part) => part !== 'body').join('.') || 'body'}</Code>{' '}
          {msg}
        </li>
      ))}
    </ul>
  );
}

/** The problem of one field of a form, from the details of a 422. */
export function problemOf(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.detail.find(({ loc }) => loc.filter((part) => part !== 'body').join('.') === field)?.msg;
}
