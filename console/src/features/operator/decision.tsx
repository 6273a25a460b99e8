import { Card, Group, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Ask } from '../../ui/ask';
import { Id } from '../../ui/id';
import { AppLink } from '../../ui/link';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { Evidence } from './evidence';
import { WorkflowLink, type Workflow } from './workflow-link';

/** One thing that waits for an operator, whatever its kind. */
export interface Decision {
  id: string;
  kind: string;
  title: ReactNode;
  /** The money that is decided on, where several are decided at once. */
  money?: { minor: number; currency: string };
  /** What it has in common with others that are decided alike; they are shown together. */
  alike?: string;
  /** The time since which it waits. */
  since: string;
  deadline?: string | undefined;
  /** The statements of both sides, and further evidence. */
  evidence: readonly (readonly [by: string, text: ReactNode])[];
  /** Facts and documents, which are shown on request. */
  details?: ReactNode;
  links: readonly { to: string; label: string }[];
  workflow?: Workflow;
  actions: readonly {
    action: string;
    question: string;
    /** The words on the button of the dialogue, with the amount. */
    confirm?: string | undefined;
    done: string;
    danger?: boolean;
    run: (reason: string) => Promise<unknown>;
    /** Needs a field of its own, so it is not done for several at once. */
    single?: boolean;
    /** The button in its place. */
    button?: () => ReactNode;
  }[];
}

/** The nearest deadline first; then those that wait longest. */
export function byUrgency(a: Decision, b: Decision): number {
  return (a.deadline ?? '9').localeCompare(b.deadline ?? '9') || a.since.localeCompare(b.since);
}

export function DecisionCard({ decision: one }: { decision: Decision }) {
  return (
    <Card withBorder padding="md" component="article" aria-label={`${one.kind} ${one.id}`}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div className="grow">
          <Group gap="xs">
            <Status value="waiting" label={one.kind} />
            <Text fw={600} dir="auto">
              {one.title}
            </Text>
          </Group>
          <Text fz="sm" c="dimmed" component="div">
            began <Time at={one.since} ago />
            {one.deadline && (
              <>
                {' · due '}
                <Time at={one.deadline} ago />
              </>
            )}
          </Text>
        </div>
        <Group gap={6}>
          {one.actions.map(({ button, single: _single, ...each }) =>
            button ? (
              <Fragment key={each.action}>{button()}</Fragment>
            ) : (
              <Ask key={each.action} {...each} reason="Reason" />
            ),
          )}
        </Group>
      </Group>
      {one.evidence.map(([by, text]) => (
        <Text key={by} fz="sm" mt={6} className="anywhere" component="div" dir="auto">
          <b>{by}:</b> {text}
        </Text>
      ))}
      {one.details && <Evidence>{one.details}</Evidence>}
      <Group gap="md" mt="xs" fz="xs" c="dimmed">
        {one.links.map(({ to, label }) => (
          <AppLink key={to} to={to}>
            {label}
          </AppLink>
        ))}
        <span>
          <Id value={one.id} />
        </span>
        {one.workflow && <WorkflowLink workflow={one.workflow} />}
      </Group>
    </Card>
  );
}
