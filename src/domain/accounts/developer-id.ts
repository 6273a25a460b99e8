const MAX_SLUG_LENGTH = 48;

/**
 * Converts a display name to a slug of lower-case ASCII letters, digits and single hyphens. Returns
 * `developer` when no such character remains.
 */
export function displayNameSlug(displayName: string): string {
  const slug = displayName
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replaceAll(/^-|-$/g, '');
  return slug === '' ? 'developer' : slug;
}

/**
 * The n-th candidate for a developer id: `dev_ada-lovelace`, `dev_ada-lovelace-2`, … The caller takes the
 * first that is free.
 */
export function developerIdCandidate(displayName: string, attempt: number): string {
  const slug = displayNameSlug(displayName);
  return attempt <= 1 ? `dev_${slug}` : `dev_${slug}-${attempt}`;
}
