import type { Request } from 'express';
import { A2A_VERSION, LEGACY_VERSION } from '../../domain/a2a/a2a-card';

/** The protocol version of a request, from the header, else from the query; undefined if it names none. */
export function versionOf(req: Request): string | undefined {
  const query = req.query['A2A-Version'];
  return req.get('a2a-version') ?? (typeof query === 'string' ? query : undefined);
}

/** The version that a request speaks; undefined for one that is not served. A2A reads no version as 0.3. */
export function servedVersion(
  version: string | undefined,
): typeof LEGACY_VERSION | typeof A2A_VERSION | undefined {
  if (version === undefined || version === '' || /^0\.3(\.\d{1,3})?$/.test(version)) return LEGACY_VERSION;
  return version === A2A_VERSION ? A2A_VERSION : undefined;
}
