/**
 * The content security policy of an MCP App (`_meta.ui.csp` of a resource): hosts allow its page what it lists. Only
 * origins pass that an untrusted page may reach; a policy is kept or narrowed, never widened.
 */
import { asRecord, isRecord } from '../../../domain/json-value';

type Json = Record<string, unknown>;

const ORIGIN = /^(?:https|wss):\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d{1,5})?$/i;

/** The contents of a result with narrowed policies. */
export function narrowedContents(result: Json, ownOrigin: string): Json {
  const narrowed = (list: unknown) =>
    Array.isArray(list) ? list.map((one) => narrow(one, ownOrigin)) : list;
  return {
    ...result,
    ...('contents' in result && { contents: narrowed(result['contents']) }),
    ...('resources' in result && { resources: narrowed(result['resources']) }),
  };
}

function narrow(resource: unknown, ownOrigin: string): unknown {
  const meta = asRecord(asRecord(resource)['_meta']);
  const ui = asRecord(meta['ui']);
  if (!isRecord(resource) || !isRecord(ui['csp'])) return resource;
  const csp = Object.fromEntries(
    Object.entries(ui['csp']).map(([name, domains]) => [
      name,
      Array.isArray(domains) ? domains.filter((domain) => mayReach(domain, ownOrigin)) : [],
    ]),
  );
  return { ...resource, _meta: { ...meta, ui: { ...ui, csp } } };
}

/** An encrypted origin with a whole name, and never the marketplace, in which the user has a session. */
function mayReach(domain: unknown, ownOrigin: string): boolean {
  if (typeof domain !== 'string' || !ORIGIN.test(domain)) return false;
  const host = domain
    .replace(/^\w+:\/\/(?:\*\.)?/, '')
    .replace(/:\d+$/, '')
    .toLowerCase();
  const { hostname } = new URL(ownOrigin);
  return hostname !== host && !hostname.endsWith(`.${host}`);
}
