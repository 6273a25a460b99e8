import { Burger, Indicator } from '@mantine/core';
import { formatWhole } from '../../ui/format';

interface MenuButtonProps {
  opened: boolean;
  onToggle: () => void;
  /** How many things wait on the pages of the navigation. */
  waiting: number;
}

/** Opens the navigation in a narrow window, and says that something waits on its pages. */
export function MenuButton({ opened, onToggle, waiting }: MenuButtonProps) {
  const count = waiting > 0 ? `: ${formatWhole(waiting)} for you to answer` : '';
  return (
    <Indicator hiddenFrom="sm" disabled={opened || waiting === 0} color="red.8" size={10} offset={4}>
      <Burger
        opened={opened}
        onClick={onToggle}
        size="sm"
        aria-label={opened ? 'Close the navigation' : `Open the navigation${count}`}
      />
    </Indicator>
  );
}
