import { Text, Timeline } from '@mantine/core';
import { IconArrowRight, IconCheck, IconPlayerPlay, IconShieldCheck, IconX } from '@tabler/icons-react';
import { formatDuration, formatSurface } from '../../ui/format';
import { Credits } from '../../ui/money';
import { WhyFailed } from './agent-words';
import {
  AFTER_THE_END,
  disputeSteps,
  lineStep,
  type CallDetail,
  type LedgerLine,
  type Step,
} from './call-steps';
import { Time } from '../../ui/time';

/** One call from its acceptance to its last movement of money. */
export function CallTimeline({ call, lines }: { call: CallDetail; lines: readonly LedgerLine[] }) {
  const steps = stepsOf(call, lines);
  return (
    <Timeline active={steps.length - 1} bulletSize={26} lineWidth={2}>
      {steps.map(({ title, icon, at, note }) => (
        <Timeline.Item key={`${title}${at ?? ''}`} title={title} bullet={icon}>
          {note && (
            <Text fz="sm" component="div">
              {note}
            </Text>
          )}
          {at && (
            <Text fz="xs" c="dimmed" component="div">
              <Time at={at} precise />
            </Text>
          )}
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

function stepsOf(call: CallDetail, lines: readonly LedgerLine[]): Step[] {
  // The ledger is newest first; lines of one instant stay in their order.
  const money = [...lines].reverse().sort((a, b) => a.created_at.localeCompare(b.created_at));
  const [held, ...rest] = money.filter(({ entry_type: type }) => !AFTER_THE_END.has(type)).map(lineStep);
  const later = [
    ...disputeSteps(call.dispute),
    ...money.filter(({ entry_type: type }) => AFTER_THE_END.has(type)).map(lineStep),
  ].sort((a, b) => (a.at ?? '').localeCompare(b.at ?? ''));
  const receipt = call.evidence?.receipt;
  const { forwarded_at: forwarded } = call;
  const answered =
    forwarded === null ? null : new Date(Date.parse(forwarded) + call.usage.duration_ms).toISOString();
  const steps: (Step | false | null | undefined)[] = [
    {
      title: 'Accepted',
      icon: <IconArrowRight size={14} />,
      at: call.invoked_at,
      note: `Version ${call.version}, through ${formatSurface(call.surface)}`,
    },
    held,
    call.status === 'pending'
      ? false
      : forwarded !== null && {
          title: 'Forwarded to the agent',
          icon: <IconPlayerPlay size={14} />,
          at: forwarded,
        },
    call.error
      ? { title: 'Failed', icon: <IconX size={14} />, note: <WhyFailed error={call.error} /> }
      : false,
    !call.error &&
      call.settled_at !== null && {
        title: 'Answered',
        icon: <IconCheck size={14} />,
        at: answered,
        note: `after ${formatDuration(call.usage.duration_ms)}`,
      },
    typeof receipt?.schema_valid === 'boolean' && {
      title: receipt.schema_valid ? 'Matches the output schema' : 'Does not match the output schema',
      icon: <IconShieldCheck size={14} />,
      at: answered,
    },
    typeof receipt?.accept_passed === 'boolean' && {
      title: receipt.accept_passed ? 'Passes your tests' : 'Fails your tests',
      icon: <IconShieldCheck size={14} />,
      at: answered,
    },
    ...rest,
    call.settled_at !== null && {
      title: 'Settled',
      icon: <IconCheck size={14} />,
      at: call.settled_at,
      note:
        call.usage.credits_charged === 0 ? (
          'Nothing was charged.'
        ) : (
          <>
            <Credits value={call.usage.credits_charged} /> charged
          </>
        ),
    },
    ...later,
  ];
  return steps.filter((step): step is Step => typeof step === 'object' && step !== null);
}
