import { useState } from 'react';

/** A text that the tab keeps until it is empty, also when the page is left or loaded again. */
export function useSessionText(name: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(name) ?? '');
  const keep = (next: string) => {
    setText(next);
    try {
      if (next === '') sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, next);
    } catch {
      // A text that does not fit is kept as long as the page.
    }
  };
  return [text, keep];
}
