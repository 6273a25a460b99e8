import type { ApiScope } from './api-key';

/**
 * Login of a device without a browser (RFC 8628, docs/oauth.md, ADR 0133). A person reads a code on the device, types
 * it into a page of the service, and permits a key for the device.
 */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** The command line: the only client of this flow. It is public and needs no registration. */
export const CLI_CLIENT_ID = 'market-cli';
/** How long a person may take. */
export const DEVICE_CODE_SECONDS = 600;
/** The pause between two polls; it grows with each poll that comes too early. */
export const POLL_SECONDS = 2;
export const SLOWER_POLL_SECONDS = 5;
/** How long the key of a device is valid. */
export const DEVICE_KEY_SECONDS = 90 * 86_400;
export const DEVICE_KEY_NAME = 'market login';
/** Unfinished logins that are kept at most: the oldest makes room. */
export const MAX_DEVICE_LOGINS = 10_000;

/** Letters of user codes: no vowels, so that no words appear, and no letter that looks like a digit. */
export const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const FORM = new RegExp(`^[${USER_CODE_LETTERS}]{${LENGTH}}$`);

/** The stored form of a code that a person typed, in any case and with any separators; undefined if it is none. */
export function readUserCode(text: string): string | undefined {
  if (!/^[\sA-Za-z–—-]{0,40}$/.test(text)) return undefined;
  const letters = text.toUpperCase().replaceAll(/[\s–—-]/g, '');
  return FORM.test(letters) ? letters : undefined;
}

/** The code as people read it: `BCDF-GHJK`. */
export const showUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** A new code. `random` returns an integer below its argument. */
export function newUserCode(random: (below: number) => number): string {
  return Array.from({ length: LENGTH }, () => USER_CODE_LETTERS[random(USER_CODE_LETTERS.length)]).join('');
}

/** The text of the consent page for each scope. */
export const DEVICE_SCOPE_WORDS: Readonly<Record<ApiScope, string>> = {
  'agents:invoke': 'Call agents and pay for the calls with your credits',
  'agents:publish': 'Publish and change your agents',
  'agents:read': 'Read listings, usage and trust reports',
  'billing:read': 'Read your balance, ledger and invoices',
  'disputes:write': 'Dispute your calls',
  'keys:manage': 'Make and end API keys that may do no more than this one',
  'webhooks:manage': 'Read and change your webhooks',
};
