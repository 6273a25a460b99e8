/**
 * The marketplace's agent id: `agt_<slug with underscores>_v<major>`. Slugs hold no underscores, so no two pairs of
 * slug and major share an id.
 */
export function agentIdOf(slug: string, major: number): string {
  return `agt_${slug.replaceAll('-', '_')}_v${major}`;
}
