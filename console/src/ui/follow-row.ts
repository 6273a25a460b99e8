import type { MouseEvent } from 'react';

/** What has a use of its own in a row. */
const HAS_USE = 'a, button, input, details, label';

/** Follows the first link of a row, with the keys that were held, unless the click meant something else. */
export function followRow(event: MouseEvent<HTMLTableRowElement>): void {
  const isOnItsOwn = event.target instanceof Element && event.target.closest(HAS_USE) !== null;
  if (isOnItsOwn || (getSelection()?.toString() ?? '') !== '') return;
  const { ctrlKey, metaKey, shiftKey } = event;
  event.currentTarget
    .querySelector('a')
    ?.dispatchEvent(
      new window.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
    );
}
