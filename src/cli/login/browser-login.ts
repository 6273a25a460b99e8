import { setTimeout as sleep } from 'node:timers/promises';
import type { MarketApi } from '../api-client';
import { CliFailure, EXIT, usageFailure } from '../failure';
import type { SavedOwner } from './session-file';

/** The key that a person permitted on the page (docs/oauth.md, "Log in the command line"). */
export interface DeviceKey {
  apiKey: string;
  keyId: string;
  email: string;
  scopes: string;
  /** The organisation that the key belongs to; absent for the person's own account. */
  owner?: SavedOwner;
}

const CLIENT_ID = 'market-cli';
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const SLOWER_SECONDS = 5;

/**
 * Logs in by the device flow (RFC 8628): `show` gets the page and the code for the person, then the service is asked
 * until the person has decided. Throws `CliFailure` if the person refused, or took too long.
 */
export async function logInByBrowser(
  api: MarketApi,
  options: { scopes?: string | undefined; show: (place: { page: string; code: string }) => void },
): Promise<DeviceKey> {
  const scope = options.scopes?.split(/[\s,]+/).join(' ');
  const begun = await api.form('/oauth/device_authorization', {
    client_id: CLIENT_ID,
    ...(scope && { scope }),
  });
  if (begun.status !== 200) throw refusal(begun.body);
  const { device_code: deviceCode, user_code: code, verification_uri_complete: page } = begun.body;
  let intervalMs = Number(begun.body['interval']) * 1_000;
  const endsAt = Date.now() + Number(begun.body['expires_in']) * 1_000;
  options.show({ page: String(page), code: String(code) });
  const poll = { grant_type: GRANT, device_code: String(deviceCode), client_id: CLIENT_ID };
  while (Date.now() < endsAt) {
    await sleep(intervalMs);
    const { status, body } = await api.form('/oauth/token', poll).catch(later);
    if (status === 200) return keyOf(body);
    if (body['error'] === 'slow_down') intervalMs += SLOWER_SECONDS * 1_000;
    else if (body['error'] === 'temporarily_unavailable') intervalMs *= 2;
    else if (body['error'] !== 'authorization_pending') throw refusal(body);
  }
  throw refusal({ error_description: 'Nobody entered the code in time. Begin again.' });
}

function keyOf(body: Record<string, unknown>): DeviceKey {
  const { organisation: owner } = body;
  return {
    apiKey: String(body['access_token']),
    keyId: String(body['key_id']),
    email: String(body['email']),
    scopes: String(body['scope']),
    ...(typeof owner === 'string' && { owner: { id: owner, name: String(body['organisation_name']) } }),
  };
}

/** A lost connection does not end the login (RFC 8628, section 3.5). */
function later(error: unknown): { status: number; body: Record<string, unknown> } {
  if (error instanceof CliFailure && error.exitCode === EXIT.later)
    return { status: 0, body: { error: 'temporarily_unavailable' } };
  throw error;
}

function refusal(body: Record<string, unknown>): CliFailure {
  const { error = 'unknown', error_description: message = 'the marketplace refused the login' } = body;
  if (error === 'invalid_scope') return usageFailure(String(message));
  return new CliFailure(String(message), EXIT.login, { code: String(error) });
}

/** Ends the key of a login by browser. */
export async function endDeviceKey(api: MarketApi, apiKey: string): Promise<void> {
  const { status, body } = await api.form('/oauth/revoke', { token: apiKey, client_id: CLIENT_ID });
  if (status !== 200) throw refusal(body);
}
