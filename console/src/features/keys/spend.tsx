import { Progress, Stack } from '@mantine/core';
import { Credits } from '../../ui/money';

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
