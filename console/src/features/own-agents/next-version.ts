/** The version after `version`: its last number is one higher. */
export function nextVersion(version: string): string {
  const [major = '1', minor = '0', patch = '0'] = version.split('.');
  return `${major}.${minor}.${Number.parseInt(patch, 10) + 1}`;
}
