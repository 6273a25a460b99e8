import { Alert, Button, Code, Group, Skeleton, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconAlertTriangle, IconCloudOff, IconInbox, IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ApiError } from '../client/http';
import { CopyIcon } from './id';
import { plainMessage, plainProblem } from './plain-words';
import { pathOf, Problems } from './problems';
import { Ways } from './ways';

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

interface FailureProps {
  error: unknown;
  retry?: () => void;
  /** Fields of the form that show their problems themselves, as paths such as `access_config.endpoint_url`. */
  fields?: readonly string[];
}

/** A failure in a person's words, with what to do about it. Code and trace id are behind "Details". */
export function Failure({ error, retry, fields = [] }: FailureProps) {
  const known = error instanceof ApiError ? error : undefined;
  const elsewhere = known?.detail.filter(({ loc }) => !fields.includes(pathOf(loc))) ?? [];
  const isMarked = known !== undefined && known.detail.length > 0 && elsewhere.length === 0;
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
        <Text fz="sm">
          {isMarked ? 'Correct the fields that are marked.' : elsewhere.length > 0 ? WRONG : messageOf(error)}
        </Text>
        {elsewhere.length > 0 && <Problems problems={elsewhere} />}
        <Group gap="xs">
          {retry && (
            <Button size="compact-xs" variant="default" onClick={retry}>
              Try again
            </Button>
          )}
          {known && <Ways error={known} />}
        </Group>
        {known && known.code !== 'network' && <Details error={known} />}
      </Stack>
    </Alert>
  );
}

const WRONG = 'Some of what was sent is wrong.';

function messageOf(error: unknown): string {
  if (error instanceof ApiError) return plainMessage(error.code, error.message);
  return error instanceof Error ? error.message : String(error);
}

/** What the support of the marketplace asks for. */
function Details({ error: { code, traceId } }: { error: ApiError }) {
  return (
    <details className="details">
      <summary>Details</summary>
      <Group gap="xs">
        <Code className="plain-code">{code}</Code>
        {traceId && (
          <Group gap={2} wrap="nowrap">
            <Text fz="xs" c="dimmed" className="anywhere">
              Trace {traceId}
            </Text>
            <CopyIcon value={traceId} label="Copy trace id" />
          </Group>
        )}
      </Group>
    </details>
  );
}

/** The problem of one field of a form, from the details of a 422. */
export function problemOf(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const problem = error.detail.find(({ loc }) => pathOf(loc) === field);
  return problem && plainProblem(problem.msg);
}
