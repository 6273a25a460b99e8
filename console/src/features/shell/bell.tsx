import { ActionIcon, Indicator } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { formatWhole } from '../../ui/format';

const MOST_SHOWN = 99;

/** Leads to the notices, and says how many are unread. Nothing for visitors, whose count is undefined. */
export function Bell({ unread }: { unread: number | undefined }) {
  if (unread === undefined) return null;
  const label = unread === 0 ? 'Notices' : `Notices: ${formatWhole(unread)} unread`;
  return (
    <Indicator
      label={unread > MOST_SHOWN ? `${MOST_SHOWN}+` : formatWhole(unread)}
      disabled={unread === 0}
      size={16}
      offset={6}
      color="red.8"
    >
      <ActionIcon
        component={Link}
        to="/notices"
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={label}
        title={label}
      >
        <IconBell size={18} stroke={1.6} />
      </ActionIcon>
    </Indicator>
  );
}
