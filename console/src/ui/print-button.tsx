import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';

/** Prints the page as a document: without menu and buttons, and with all of its evidence. */
export function PrintButton({ label = 'Print' }: { label?: string }) {
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconPrinter size={14} aria-hidden />}
      onClick={() => window.print()}
    >
      {label}
    </Button>
  );
}
