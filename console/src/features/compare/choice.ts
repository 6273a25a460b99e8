import { useSyncExternalStore } from 'react';

/** So many agents stand side by side. */
export const MOST_COMPARED = 4;
const NAME = 'agents to compare';

/** The agents that the tab is about to compare; it keeps them when the page is left or loaded again. */
let chosen: readonly string[] = read();
const listeners = new Set<() => void>();

function read(): string[] {
  try {
    return (sessionStorage.getItem(NAME) ?? '').split(' ').filter((id) => id !== '');
  } catch {
    return [];
  }
}

function choose(next: readonly string[]): void {
  chosen = next;
  try {
    sessionStorage.setItem(NAME, next.join(' '));
  } catch {
    // Then the choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The chosen agents, and how to change the choice. */
export function useCompared() {
  const agents = useSyncExternalStore(subscribe, () => chosen);
  return {
    agents,
    isFull: agents.length >= MOST_COMPARED,
    toggle: (id: string) =>
      choose(agents.includes(id) ? agents.filter((one) => one !== id) : [...agents, id]),
    clear: () => choose([]),
  };
}

/** The agents in the address of a comparison. */
export const agentsIn = (text: string | undefined): string[] =>
  [...new Set((text ?? '').split(','))].filter((id) => id.startsWith('agt_')).slice(0, MOST_COMPARED);
