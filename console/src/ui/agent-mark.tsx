import type { CSSProperties } from 'react';

const HUES = 24;

/** The hue of an agent's mark: the same for an id everywhere, and of all its major versions. */
export function hueOf(agentId: string): number {
  let sum = 0;
  for (const letter of agentId.replace(/_v\d+$/, '')) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return (sum % HUES) * (360 / HUES);
}

/** The first letter or digit of a name, as a person counts letters. */
export function letterOf(name: string): string {
  const parts = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment);
  return (parts.find((part) => /[\p{L}\p{N}]/u.test(part)) ?? '?').toLocaleUpperCase();
}

/**
 * The mark of an agent: the first letter of its name in a colour of its id. The developer's own icon is not shown,
 * because its host would see who looks (ADR 0253).
 */
export function AgentMark({ agentId, name, size = 28 }: { agentId: string; name: string; size?: number }) {
  const style = { '--hue': hueOf(agentId), '--size': `${size}px` } as CSSProperties;
  return (
    <span className="agent-mark" style={style} aria-hidden>
      {letterOf(name)}
    </span>
  );
}
