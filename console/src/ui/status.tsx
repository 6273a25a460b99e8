import { Badge } from '@mantine/core';
import { formatCode } from './format';

/** Colours say how much attention a state needs: green is done, blue runs, yellow waits for a decision, red failed. */
const COLOURS: Record<string, string> = {
  succeeded: 'green',
  live: 'green',
  paid: 'green',
  active: 'green',
  delivered: 'green',
  accepted: 'green',
  won: 'green',
  credited: 'green',
  settled: 'green',
  ok: 'green',
  ready: 'green',
  overturned: 'green',
  resolved: 'green',
  verified: 'green',
  listed: 'green',
  passed: 'green',
  pending: 'blue',
  running: 'blue',
  processing: 'blue',
  verifying: 'blue',
  submitted: 'blue',
  reserving: 'blue',
  held: 'blue',
  noticed: 'blue',
  unread: 'blue',
  open: 'yellow',
  contested: 'yellow',
  applied: 'yellow',
  waiting: 'yellow',
  candidate: 'yellow',
  input_required: 'yellow',
  acknowledged: 'yellow',
  quarantined: 'yellow',
  medium: 'yellow',
  rolled_over: 'yellow',
  'not listed': 'yellow',
  frozen: 'yellow',
  faulted: 'yellow',
  failed: 'red',
  rejected: 'red',
  refused: 'red',
  suspended: 'red',
  critical: 'red',
  high: 'red',
  returned: 'red',
  gone: 'red',
  final: 'red',
  not_ready: 'red',
  disputed: 'grape',
};

/** A state as a small label. */
export function Status({ value, label }: { value: string; label?: string }) {
  return (
    <Badge
      variant="light"
      color={COLOURS[value] ?? 'gray'}
      size="sm"
      radius="sm"
      tt="none"
      fw={600}
      className="status"
    >
      {label ?? formatCode(value)}
    </Badge>
  );
}
