import type { Schema } from '../api-schema';
import { breakingChanges } from '../../domain/catalogue/breaking-changes';
import { parseVersion } from '../../domain/catalogue/semver';
import { agentIdOf } from '../../domain/catalogue/slug';
import type { FieldProblem } from '../../domain/errors';
import { ApiFailure, type MarketApi } from '../api-client';

type OwnAgent = Schema<'OwnAgentDetail'>;
type Version = Schema<'AgentVersionDetail'>;

/** What changes for buyers between the version that serves and a manifest of the same major. */
export interface Comparison {
  /** The version that serves; undefined if none does. */
  version: string | undefined;
  /** The changes that can break buyers, as problems of the manifest. */
  problems: FieldProblem[];
}

/** Compares a manifest with the version of its major that serves now. */
export async function compareWithPublished(
  api: MarketApi,
  manifest: Record<string, unknown>,
): Promise<Comparison> {
  const major = parseVersion(String(manifest['version']))?.major ?? 0;
  const path = `/v1/developer/agents/${agentIdOf(String(manifest['agent_id']), major)}`;
  const version = await servingVersion(api, path);
  if (!version) return { version, problems: [] };
  const { manifest: before } = await api.call<Version>('GET', `${path}/versions/${version}`);
  const problems = breakingChanges(before ?? {}, manifest).map(({ loc, what }) => ({
    loc,
    msg: `${what} since ${version}, which can break buyers`,
    type: 'breaking_change',
  }));
  return { version, problems };
}

async function servingVersion(api: MarketApi, path: string): Promise<string | undefined> {
  try {
    return (await api.call<OwnAgent>('GET', path)).serving_version ?? undefined;
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return undefined;
    throw error;
  }
}
