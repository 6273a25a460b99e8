/** Lower-case letters and digits in groups joined by single hyphens; at most 64 characters (specification, Manifest). */
export const SLUG_PATTERN = '^[a-z0-9]+(-[a-z0-9]+)*$';
export const SLUG_MAX_LENGTH = 64;

/**
 * The marketplace's agent id: `agt_<slug with underscores>_v<major>`. Slugs hold no underscores, so no two pairs of
 * slug and major share an id.
 */
export function agentIdOf(slug: string, major: number): string {
  return `agt_${slug.replaceAll('-', '_')}_v${major}`;
}
