import { Group, RingProgress, Text, Tooltip } from '@mantine/core';
import { IconShieldCheckFilled, IconShieldOff } from '@tabler/icons-react';
import { formatCode } from './format';

const BADGE_COLOURS: Record<string, string> = {
  premium: 'var(--badge-premium)',
  standard: 'var(--badge-standard)',
  basic: 'var(--badge-basic)',
};

/** The badge of an agent, by its colour and its name. */
export function BadgePill({ badge }: { badge: string | null }) {
  if (badge === null) {
    return (
      <Tooltip
        label="This agent has no badge: its score, bond or findings do not allow one."
        withArrow
        multiline
        w={240}
      >
        <Group gap={4} wrap="nowrap" className="badge-pill none" tabIndex={0}>
          <IconShieldOff size={14} aria-hidden />
          <span>No badge</span>
        </Group>
      </Tooltip>
    );
  }
  return (
    <Group gap={4} wrap="nowrap" className="badge-pill" style={{ color: BADGE_COLOURS[badge] }}>
      <IconShieldCheckFilled size={14} aria-hidden />
      <span>{formatCode(badge)}</span>
    </Group>
  );
}

const colourOf = (score: number) =>
  score >= 90 ? 'var(--good)' : score >= 75 ? 'teal.6' : score >= 50 ? 'yellow.7' : 'red.7';

/** The trust score from 0 to 100. */
export function Score({ value, size = 52 }: { value: number | null; size?: number }) {
  return (
    <Tooltip label={value === null ? 'Not scored yet' : `Trust score ${value} of 100`} withArrow>
      <RingProgress
        size={size}
        thickness={size > 60 ? 6 : 4}
        roundCaps
        sections={[{ value: value ?? 0, color: value === null ? 'gray.5' : colourOf(value) }]}
        rootColor="var(--track)"
        role="img"
        aria-label={value === null ? 'Not scored yet' : `Trust score ${value} of 100`}
        label={
          <Text ta="center" fw={700} fz={size > 60 ? 22 : 14} className="figures" aria-hidden>
            {value ?? '–'}
          </Text>
        }
      />
    </Tooltip>
  );
}
