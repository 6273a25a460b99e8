/**
 * The agent id: `agt_<slug with underscores>_v<major>`. Slugs contain no underscores, so different pairs of
 * slug and major version have different ids.
 */
export function agentIdOf(slug: string, major: number): string {
  return `agt_${slug.replaceAll('-', '_')}_v${major}`;
}
