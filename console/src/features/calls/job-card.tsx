import { Card, Group, Progress, Stack, Text } from '@mantine/core';
import { Credits } from '../../ui/money';
import { Facts } from '../../ui/page';
import { Time } from '../../ui/time';
import { Written } from '../../ui/written';
import type { CallDetail } from './call-steps';
import { HoldReason, useJobHold } from './job-hold';

type Job = NonNullable<CallDetail['job']>;

/** How far a call is that its agent has accepted as a job, what it has earned, and what its credits wait for. */
export function JobCard({ call }: { call: CallDetail & { job: Job } }) {
  const { job } = call;
  const isOver = call.settled_at !== null;
  const hold = useJobHold(call);
  return (
    <Card withBorder padding="lg" component="section" aria-label="Job">
      <Stack gap="md">
        {!isOver && <JobProgress job={job} />}
        <Facts
          rows={[
            hold !== undefined && [
              'Held',
              <span key="w">
                <Credits value={hold.credits} />: <HoldReason hold={hold} />
              </span>,
            ],
            !isOver &&
              hold === undefined &&
              job.question === null && ['Must end by', <Time key="e" at={job.ends_at} />],
            ['Last report', <Time key="h" at={job.heard_at} />],
            job.milestones.length > 0 && ['Milestones', <Milestones key="m" job={job} />],
          ]}
        />
      </Stack>
    </Card>
  );
}

/** What the agent has delivered and earned, also if the job fails later. */
function Milestones({ job: { milestones } }: { job: Job }) {
  return (
    <Stack gap={4}>
      {milestones.map(({ name, reached_at: at }) => (
        <Text key={name} size="sm">
          <Written>{name}</Written>, <Time at={at} />
        </Text>
      ))}
    </Stack>
  );
}

/** How far the agent says that it is, with its own sentence. */
function JobProgress({ job: { progress, message, question } }: { job: Job }) {
  const percent = progress === null ? undefined : Math.round(progress * 100);
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <Text fw={600} fz="sm">
          {message === null ? 'The agent works' : <Written>{message}</Written>}
        </Text>
        <Text fz="sm" className="figures nowrap">
          {percent === undefined ? 'no progress reported' : `${percent}%`}
        </Text>
      </Group>
      {percent !== undefined && <Progress value={percent} size="md" aria-label="Progress of the job" />}
      {question !== null && (
        <Text fz="sm" c="dimmed">
          Its clock stands still until you answer.
        </Text>
      )}
    </Stack>
  );
}
