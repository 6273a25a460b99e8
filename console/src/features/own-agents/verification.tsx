import { Alert, Card, Group, Loader, SimpleGrid, Text, ThemeIcon } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { IconCheck, IconCircleDashed, IconMinus, IconX } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { Answer } from '../../client/http';
import { formatDuration } from '../../ui/format';
import { Id } from '../../ui/id';
import { AppLink } from '../../ui/link';
import { Facts, Section } from '../../ui/page';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { STAGE_NAMES } from '../trust/trust-report';

type Run = NonNullable<Answer<'/v1/developer/agents/{agent_id}', 'get'>['latest_run']>;
type Stage = Run['stages'][number];

/** The newest verification run, stage by stage, while it goes on and afterwards. */
export function Verification({ run }: { run: Run }) {
  return (
    <Section title="Verification">
      <Card withBorder>
        <Group gap="xs" mb="md" role="status">
          <Status value={run.state} />
          <Text fz="sm" c="dimmed" component="div">
            Version {run.version}, {run.finished_at === null ? 'since ' : 'ended '}
            <Time at={run.finished_at ?? run.started_at} />
          </Text>
        </Group>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} role="list">
          {run.stages.map((stage) => (
            <StageState key={stage.stage} run={run} stage={stage} />
          ))}
        </SimpleGrid>
        {run.failures.map((failure) => (
          <Failed key={failure.finding_id ?? failure.stage} failure={failure} />
        ))}
        {run.state === 'faulted' && (
          <Text fz="sm" c="dimmed" mt="sm">
            A fault of the marketplace ended this run. It changed no score, and another run begins by itself.
          </Text>
        )}
      </Card>
    </Section>
  );
}

/** What failed the run: the step, the cause, the address that was called and the probe. */
function Failed({ failure }: { failure: Run['failures'][number] }) {
  const { stage, what, remedy, address, invocation_id: probe, finding_id: finding } = failure;
  return (
    <Alert color="red" variant="light" mt="md" title={`${STAGE_NAMES[stage]} failed`}>
      <Text fz="sm" className="anywhere">
        {what}
      </Text>
      {remedy && (
        <Text fz="sm" className="anywhere">
          <b>Remedy:</b> {remedy}
        </Text>
      )}
      <Facts
        rows={[
          address !== null && [
            'Address called',
            <code key="a" dir="auto">
              {address}
            </code>,
          ],
          probe !== null && [
            'Probe, as X-Invocation-Id in your log',
            <Id key="p" value={probe} short={false} />,
          ],
          finding !== null && [
            'Finding',
            <AppLink key="f" to="." hash={finding} underline="always">
              Show the finding
            </AppLink>,
          ],
        ]}
      />
    </Alert>
  );
}

function StageState({ run, stage }: { run: Run; stage: Stage }) {
  const { icon, text, color } = lookOf(run, stage);
  return (
    <Group gap="sm" wrap="nowrap" role="listitem">
      <ThemeIcon variant="light" color={color} radius="xl" size={28} aria-hidden>
        {icon}
      </ThemeIcon>
      <div>
        <Text fz="sm" fw={600}>
          {STAGE_NAMES[stage.stage]}
        </Text>
        <Text fz="xs" c="dimmed" className="figures" component="div">
          {text}
        </Text>
      </div>
    </Group>
  );
}

function lookOf({ state }: Run, stage: Stage): { icon: ReactNode; text: ReactNode; color: string } {
  const { started_at: since, finished_at: until, failed } = stage;
  if (failed) return { icon: <IconX size={16} />, text: 'Failed', color: 'red' };
  if (until !== null)
    return {
      icon: <IconCheck size={16} />,
      text: since === null ? 'Done' : `Done in ${formatDuration(Date.parse(until) - Date.parse(since))}`,
      color: 'green',
    };
  if (state !== 'running') return { icon: <IconMinus size={16} />, text: 'Not done', color: 'gray' };
  if (since === null) return { icon: <IconCircleDashed size={16} />, text: 'Waits', color: 'gray' };
  return { icon: <Loader size={14} />, text: <Elapsed since={since} />, color: 'blue' };
}

/** How long a stage has been running, second by second. */
function Elapsed({ since }: { since: string }) {
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), 1_000, { autoInvoke: true });
  const seconds = Math.max(1, Math.round((now - Date.parse(since)) / 1_000));
  return <>Runs for {formatDuration(seconds * 1_000)}</>;
}
