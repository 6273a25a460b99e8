import type { ReactNode } from 'react';

/**
 * A text that a person wrote, within a line of the console. It runs in its own direction, and leaves the words beside
 * it in theirs. A text that is a paragraph of its own has `dir="auto"` instead.
 */
export function Written({ children }: { children: ReactNode }) {
  return <bdi className="anywhere">{children}</bdi>;
}
