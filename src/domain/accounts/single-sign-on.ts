/** Rules of logins by the identity provider of an organisation (docs/single-sign-on.md). */
import type { MemberRole } from './roles';

/** Roles that a first login may give. Owners and admins are made by people. */
export const DEFAULT_ROLES = ['finance', 'developer', 'buyer', 'viewer'] as const satisfies MemberRole[];
export type DefaultRole = (typeof DEFAULT_ROLES)[number];

/** A host name with at least two labels, in lower case; names of other scripts in their ASCII form. */
export const DOMAIN_PATTERN =
  '^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$';

/** The name and the value of the TXT record that proves a domain. */
export function proofOfDomain(domain: string, token: string): { name: string; value: string } {
  return { name: `_market-sign-in.${domain}`, value: `market-sign-in=${token}` };
}

/** The domain of a mail address in lower case; undefined for a text that is no address. */
export function domainOfEmail(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  return at > 0 && at < email.length - 1 ? email.slice(at + 1).toLowerCase() : undefined;
}

/** Where the browser goes after the login: a page of the console, and no other address. */
export function returnPath(wanted: string | undefined): string {
  return wanted !== undefined && /^\/console(?:\/[A-Za-z0-9_~./?=&%-]*)?$/.test(wanted)
    ? wanted
    : '/console/';
}
