import { Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Time } from '../../ui/time';
import { Written } from '../../ui/written';
import type { CallDetail } from './call-steps';

type Job = NonNullable<CallDetail['job']>;

/** The rows about a call that its agent has accepted as a job, for a list of facts. */
export function jobFacts(job: Job | undefined, isOver: boolean): (readonly [string, ReactNode] | false)[] {
  if (!job) return [];
  return [
    ['Progress', <JobProgress key="p" job={job} />],
    job.milestones.length > 0 && ['Milestones', <Milestones key="m" job={job} />],
    ['Last report', <Time key="h" at={job.heard_at} />],
    !isOver && ['Must end by', <Time key="e" at={job.ends_at} />],
  ];
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
function JobProgress({ job: { progress, message } }: { job: Job }) {
  const percent = progress === null ? undefined : Math.round(progress * 100);
  return (
    <Stack gap={4}>
      {percent === undefined ? (
        <Text size="sm">not reported</Text>
      ) : (
        <Progress.Root size="lg">
          <Progress.Section value={percent} aria-label="Progress of the job">
            <Progress.Label>{percent}%</Progress.Label>
          </Progress.Section>
        </Progress.Root>
      )}
      {message !== null && (
        <Text size="sm">
          <Written>{message}</Written>
        </Text>
      )}
    </Stack>
  );
}
