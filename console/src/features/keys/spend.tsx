import { Progress, Stack, Text } from '@mantine/core';
import { Credits } from '../../ui/money';
import { Time } from '../../ui/time';
import { Small } from './grant-agents';

interface SpendOfProps {
  of: {
    spent_credits: number;
    used_credits: number;
    credit_cap: number | null;
    credit_cap_window: string;
    window_ends_at: string | null;
  };
}

/** What counts against the cap of a key or an application now; of one that begins anew, with its window and its end. */
export function SpendOf({ of }: SpendOfProps) {
  const { spent_credits: spent, used_credits: used, credit_cap: cap, window_ends_at: end } = of;
  if (end === null) return <Spend spent={spent} cap={cap} />;
  return (
    <Stack gap={0} align="flex-end">
      <Spend spent={used} cap={cap} />
      <Small text={`each ${of.credit_cap_window}`} />
      <Text fz="xs" c="dimmed" component="span">
        {'begins anew '}
        <Time at={end} />
      </Text>
    </Stack>
  );
}

/** What a key or an application has spent of its cap. Both in credits; without a cap, the first alone. */
export function Spend({ spent, cap }: { spent: number; cap: number | null }) {
  return (
    <Stack gap={4} miw={110}>
      <span>
        <Credits value={spent} unit={false} />
        {cap !== null && (
          <>
            {' of '}
            <Credits value={cap} />
          </>
        )}
      </span>
      {cap !== null && cap > 0 && (
        <Progress
          value={Math.min(100, (spent / cap) * 100)}
          size={4}
          aria-label={`${spent} of ${cap} credits spent`}
        />
      )}
    </Stack>
  );
}
