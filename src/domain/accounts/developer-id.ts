const MAX_SLUG_LENGTH = 48;

/** The slug of a display name: lower-case ASCII letters and digits with single hyphens; `developer` when none is left. */
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

/** The n-th candidate for a developer id: `dev_ada-lovelace`, `dev_ada-lovelace-2`, … */
export function developerIdCandidate(displayName: string, attempt: number): string {
  const slug = displayNameSlug(displayName);
  return attempt <= 1 ? `dev_${slug}` : `dev_${slug}-${attempt}`;
}
