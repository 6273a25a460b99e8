/** Fills the path of an operation and appends its query. */
export function addressOf(
  path: string,
  values: Record<string, unknown> = {},
  query: Record<string, unknown> = {},
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(values[name])),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return text ? `${filled}?${text}` : filled;
}
