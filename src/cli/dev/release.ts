import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseVersion } from '../../domain/catalogue/semver';
import { agentIdOf } from '../../domain/catalogue/slug';
import { ApiFailure, type MarketApi } from '../api-client';
import { CliFailure } from '../failure';
import type { ManifestFile } from '../packing/manifest-file';
import { packFolder } from '../packing/pack-folder';
import { readAuthor, sendVersion } from '../verbs/publish';

/** A version of the agent that the marketplace knows. */
export interface Release {
  agentId: string;
  version: string;
  status: string;
}

/** A new key with a certificate of the local stack for a loopback address. Throws `CliFailure` where there is none. */
export async function localCertificate(
  api: MarketApi,
  host: string,
): Promise<{ keyPem: string; certPem: string }> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = { host, public_key: publicKey.export({ type: 'spki', format: 'pem' }) };
  const keyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  try {
    const { certificate } = await api.call<{ certificate: string }>(
      'POST',
      '/v1/developer/local-certificates',
      body,
    );
    return { keyPem, certPem: certificate };
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 'not_found') throw error;
    throw new CliFailure(
      `${api.url} certifies no agents on this machine. Deploy the agent at a public HTTPS address, set endpoint.url, and run market publish`,
    );
  }
}

/**
 * Stores the version of the manifest as a draft, so that its agent has a signing secret before the first call. If the
 * number was published before, the version stays as it is. Throws `CliFailure` for a manifest that is refused.
 */
export async function draftVersion(api: MarketApi, file: ManifestFile): Promise<Release> {
  const { manifest, folder } = file;
  const author = await readAuthor(api);
  const packed = await packFolder(folder);
  const body = {
    manifest: { ...manifest, ...(author && { author }) },
    bundle_base64: packed.bytes.toString('base64'),
    submit: false,
  };
  try {
    const sent = await sendVersion(api, file, body);
    if ('exitCode' in sent) throw new CliFailure(sent.text);
    return { agentId: sent.agent_id, version: sent.version, status: sent.status };
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 'version_not_higher') throw error;
    const known = await findVersion(api, manifest);
    if (known) return known;
    throw error;
  }
}

/** Submits a draft for verification. Other versions stay as they are. */
export async function submitDraft(api: MarketApi, release: Release): Promise<void> {
  const { agentId, version, status } = release;
  if (status === 'draft')
    await api.call('POST', `/v1/developer/agents/${agentId}/versions/${version}/submit`);
}

/** The secret that signs calls to the agent. */
export async function signingSecret(api: MarketApi, agentId: string): Promise<string> {
  const path = `/v1/developer/agents/${agentId}`;
  return (await api.call<{ signing_secret: string }>('GET', path)).signing_secret;
}

async function findVersion(api: MarketApi, manifest: Record<string, unknown>): Promise<Release | undefined> {
  const version = String(manifest['version']);
  const agentId = agentIdOf(String(manifest['agent_id']), parseVersion(version)?.major ?? 0);
  const path = `/v1/developer/agents/${agentId}/versions?limit=100`;
  const { items } = await api.call<{ items: { version: string; status: string }[] }>('GET', path);
  const found = items.find((item) => item.version === version);
  return found && { agentId, version, status: found.status };
}

/** Raises the patch number in the text of a manifest: `1.0.0` becomes `1.0.1`. Returns the text of the new file. */
export function raisePatch(file: string): string {
  const text = readFileSync(file, 'utf8').replace(
    /("version"\s*:\s*"\d+\.\d+\.)(\d+)"/,
    (_whole, before: string, patch: string) => `${before}${Number(patch) + 1}"`,
  );
  writeFileSync(file, text);
  return text;
}
