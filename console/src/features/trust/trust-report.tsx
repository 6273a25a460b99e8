import { Alert, Badge, Card, Group, Progress, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import type { Answer } from '../../client/http';
import { formatCode, formatPoints, formatShare } from '../../ui/format';
import { Facts } from '../../ui/page';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { jobsRow, latencyText } from './latency-text';
import { Legend } from './legend';
import { ToolTests } from './tool-tests';

export type Report = Answer<'/v1/agents/{agent_id}/trust-report', 'get'>;
type Stage = Report['stages']['static_analysis'];
export type Finding = Stage['findings'][number];

export const STAGE_NAMES: Record<keyof Report['stages'], string> = {
  static_analysis: 'Static analysis',
  supply_chain: 'Supply chain',
  dynamic_testing: 'Dynamic testing',
  red_team: 'Red team',
};

/** Names of declarations, as the overview of an agent has them. */
const DECLARATIONS: Readonly<Record<string, string>> = {
  'capabilities.idempotent': 'Idempotent',
  'capabilities.streaming': 'Streams its answer',
  'data_handling.pii_processed': 'Personal data',
  'data_handling.subprocessors': 'Subprocessors',
  examples: 'Examples',
  timeout_ms: 'Time limit of a call',
};

/** A trust report: summary, points by stage, findings, and what could not be inspected. */
export function TrustReport({ report }: { report: Report }) {
  const stages = Object.entries(report.stages) as [keyof Report['stages'], Stage & { max: number }][];
  return (
    <Stack gap="md">
      <Text dir="auto">{report.summary}</Text>
      <Legend rubric={report.rubric_version} />
      <Facts
        rows={[
          ['Score', `${report.score} of 100`],
          ['Examined', report.examined?.text ?? 'Not counted by this rubric'],
          ['Verified', <Time key="at" at={report.verified_at} />],
          ['Next verification', <Time key="next" at={report.next_verification} ago />],
          ['Version', report.version],
          ['Rubric', report.rubric_version],
          ['Answers took', latencyText(report.latency)],
          ...jobsRow(report.latency),
        ]}
      />
      {report.declarations.length > 0 && (
        <Alert color="orange" variant="light" title="Declared, but contradicted by this run">
          <ul className="problems">
            {report.declarations.map(({ declaration, contradicted_by: by }) => (
              <li key={declaration}>
                <b>{DECLARATIONS[declaration] ?? declaration}</b>: {descriptionsOf(report, by).join(' ')}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {report.tools && <ToolTests tests={report.tools} />}
      {stages.map(([name, stage]) => (
        <StageCard key={name} name={STAGE_NAMES[name]} stage={stage} />
      ))}
    </Stack>
  );
}

function descriptionsOf(report: Report, findingIds: readonly string[]): string[] {
  const findings = Object.values(report.stages).flatMap((stage) => stage.findings);
  return findings
    .filter(({ finding_id: id }) => findingIds.includes(id))
    .map(({ description }) => description);
}

function StageCard({ name, stage }: { name: string; stage: Stage & { max: number } }) {
  return (
    <Card withBorder padding="md" component="section" aria-label={name}>
      <Group justify="space-between" mb={6}>
        <Text fw={600} dir="auto">
          {name}
        </Text>
        <Text fz="sm" className="figures">
          <b>{formatPoints(stage.score)}</b> of {stage.max} points · {formatShare(stage.coverage)} inspected
        </Text>
      </Group>
      <Progress
        value={(stage.score / stage.max) * 100}
        size="sm"
        mb="sm"
        aria-label={`${name}: ${formatPoints(stage.score)} of ${stage.max} points`}
      />
      {stage.findings.length === 0 ? (
        <Group gap={6} c="dimmed" fz="sm">
          <IconCircleCheck size={16} aria-hidden /> No findings
        </Group>
      ) : (
        <Stack gap="xs">
          {stage.findings.map((finding) => (
            <FindingRow key={finding.finding_id} finding={finding} />
          ))}
        </Stack>
      )}
      {stage.not_looked_at.length > 0 && (
        <Alert variant="light" color="gray" mt="sm" p="xs" title="Not inspected">
          <ul className="problems">
            {stage.not_looked_at.map(({ check, coverage, reasons }) => (
              <li key={check}>
                {formatCode(check)}
                {coverage > 0 && ` (${formatShare(coverage)} inspected)`}:{' '}
                {reasons.map(formatCode).join(', ').toLowerCase() || 'no evidence'}
              </li>
            ))}
          </ul>
        </Alert>
      )}
    </Card>
  );
}

/** One finding with its remedy. */
export function FindingRow({ finding }: { finding: Finding }) {
  return (
    <div id={finding.finding_id}>
      <Group gap={6}>
        <Status value={finding.severity} />
        <Text fz="sm" fw={600}>
          {formatCode(finding.category)}
        </Text>
        {finding.status !== 'open' && (
          <Badge size="xs" variant="outline" color="gray">
            {formatCode(finding.status)}
          </Badge>
        )}
        <Text fz="xs" c="dimmed">
          since <Time at={finding.first_seen_at} />
        </Text>
      </Group>
      <Text fz="sm" className="anywhere" dir="auto">
        {finding.description}
      </Text>
      <Text fz="sm" c="dimmed" className="anywhere">
        <b>Remedy:</b> {finding.remediation}
      </Text>
    </div>
  );
}
