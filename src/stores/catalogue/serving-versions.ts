import { completeJobs, JOB_LIMITS, type JobCapability } from '../../domain/catalogue/capabilities';
import type { RegisteredCard } from '../../domain/catalogue/cards/card-listing';
import type { ManifestExample, Pricing } from '../../domain/catalogue/manifest';
import { priceTerms, type PriceTerms } from '../../domain/catalogue/pricing';
import { type InputRole, inputRoleOf } from '../../domain/catalogue/input-role';
import type { AgentVisibility, Viewer } from '../../domain/catalogue/agent-state';
import type { Db } from '../db';
import type { FormerPrice } from '../prices/charged-price';
import type { AgentKind } from './agents';
import { shownTo } from '../shown-to';

/** The facts about a version that calls need. Versions are immutable, so this may be cached by `versionId`. */
export interface ServingVersion {
  versionId: string;
  agentId: string;
  slug: string;
  version: string;
  displayName: string;
  description: string;
  kind: AgentKind;
  developerUserId: string;
  endpointUrl: string;
  terms: PriceTerms;
  /** Free calls of each buyer in a month. */
  freeTierCalls: number;
  timeoutMs: number;
  maxPayloadBytes: number;
  /** Calls of all buyers that the agent takes at once; null if it declares no limit of its own. */
  maxConcurrency: number | null;
  idempotent: boolean;
  streaming: boolean;
  /** What the agent declares if it takes jobs: it may answer 202 and work for longer than its timeout. */
  jobs: DeclaredJobs | null;
  /** Buyers may set tests for its answers (ADR 0425). */
  acceptsTests: boolean;
  /** False if other agents must not call this agent (contract, "MCP, A2A"). */
  a2aInvocable: boolean;
  retentionDays: number;
  /** JSON text; null for MCP servers, and for self-hosted agents that declare no schemas. */
  inputSchema: string | null;
  outputSchema: string | null;
  /** Examples of the manifest, with the outputs that it promises. */
  examples: readonly ManifestExample[];
  inputRole: InputRole;
  /** Sealed; the context is `signingSecretContext(agentId)`. */
  sealedSigningSecret: Buffer;
  /** The agent card that an A2A agent was registered with; null for all others. */
  card: RegisteredCard | null;
  /** For a self-hosted agent priced in USD: the price as a decimal string, and the address to pay. */
  x402: { priceUsd: string; payTo: string } | null;
  /** Set if its price rose when it went live. The statement that accepts a call decides which price counts. */
  former: FormerTerms | null;
}

/** What calls of a version cost until its own price counts. */
interface FormerTerms extends Pick<ServingVersion, 'terms' | 'freeTierCalls' | 'x402'> {
  until: Date;
}

interface DeclaredJobs {
  maxSeconds: number;
  heartbeatSeconds: number;
  /** How long verification waits for the job of a probe. */
  probeSeconds: number;
}

interface ServingVersionRow {
  version_id: string;
  agent_id: string;
  slug: string;
  version: string;
  kind: ServingVersion['kind'];
  developer_user_id: string;
  endpoint_url: string;
  timeout_ms: number;
  max_payload_bytes: number;
  idempotent: boolean;
  streaming: boolean;
  retention_days: number;
  manifest: string;
  signing_secret: Buffer;
  price_effective_at: Date | null;
  former_price: FormerPrice | null;
}

/** The id of an active agent's serving version, for verification; undefined if there is none. */
export async function readServingVersionId(db: Db, agentId: string): Promise<string | undefined> {
  const result = await db.query<{ serving_version_id: string | null }>({
    name: 'serving-version-id',
    text: `SELECT serving_version_id FROM agents WHERE agent_id = $1 AND status = 'active'`,
    values: [agentId],
  });
  return result.rows[0]?.serving_version_id ?? undefined;
}

export interface ShownServing {
  versionId: string;
  visibility: AgentVisibility;
}

/** The serving version of an active agent that is shown to the viewer; undefined if there is none. */
export async function readShownServing(
  db: Db,
  agentId: string,
  viewer: Viewer,
): Promise<ShownServing | undefined> {
  const { rows } = await db.query<ShownServing>({
    name: 'shown-serving-version',
    text: `SELECT a.serving_version_id AS "versionId", a.visibility FROM agents a
            WHERE a.agent_id = $1 AND a.status = 'active' AND a.serving_version_id IS NOT NULL AND ${shownTo('$2')}`,
    values: [agentId, viewer ?? null],
  });
  return rows[0];
}

export async function readServingVersion(db: Db, versionId: string): Promise<ServingVersion | undefined> {
  return (await readServingVersions(db, [versionId]))[0];
}

/** Reads versions in one statement, in no certain order. Those that do not exist are absent. */
export async function readServingVersions(db: Db, versionIds: readonly string[]): Promise<ServingVersion[]> {
  const { rows } = await db.query<ServingVersionRow>({
    name: 'serving-versions',
    text: `SELECT v.version_id, v.agent_id, v.slug, v.version, a.kind, a.developer_user_id, v.endpoint_url,
                  v.timeout_ms, v.max_payload_bytes, v.idempotent, v.streaming,
                  v.retention_days, v.manifest, a.signing_secret, v.price_effective_at, v.former_price
             FROM agent_versions v JOIN agents a USING (agent_id) WHERE v.version_id = ANY ($1)`,
    values: [versionIds],
  });
  return rows.map(toServingVersion);
}

/** An agent that a key pins. `versionId`: its serving version; null if the agent is not live. */
export interface PinRow {
  agentId: string;
  versionId: string | null;
}

/** The agents that an account's key pins, in their order. One that is not shown to the account is not live for it. */
export async function readPins(db: Db, userId: string, keyId: string): Promise<PinRow[]> {
  const { rows } = await db.query<{ agent_id: string; serving_version_id: string | null }>({
    name: 'pinned-agents',
    text: `SELECT p.agent_id, a.serving_version_id
             FROM api_keys k CROSS JOIN unnest(k.pinned_agents) WITH ORDINALITY p (agent_id, n)
                  LEFT JOIN agents a ON a.agent_id = p.agent_id AND a.status = 'active' AND ${shownTo('$2')}
            WHERE k.key_id = $1 AND k.user_id = $2 ORDER BY p.n`,
    values: [keyId, userId],
  });
  return rows.map((row) => ({ agentId: row.agent_id, versionId: row.serving_version_id }));
}

function toServingVersion(row: ServingVersionRow): ServingVersion {
  const manifest = JSON.parse(row.manifest) as {
    display_name: string;
    description?: string;
    pricing: Pricing;
    input_schema?: unknown;
    output_schema?: unknown;
    capabilities?: { a2a_invocable?: boolean; accepts_tests?: boolean; jobs?: JobCapability };
    x402?: { price_usd: string; pay_to: string };
    examples?: ManifestExample[];
    input_role?: InputRole;
    max_concurrency?: number;
    tags?: string[];
    agent_card?: RegisteredCard;
  };
  return {
    versionId: row.version_id,
    agentId: row.agent_id,
    slug: row.slug,
    version: row.version,
    displayName: manifest.display_name,
    description: manifest.description ?? '',
    kind: row.kind,
    developerUserId: row.developer_user_id,
    endpointUrl: row.endpoint_url,
    terms: priceTerms(manifest.pricing),
    freeTierCalls: manifest.pricing.free_tier_calls,
    timeoutMs: row.timeout_ms,
    maxPayloadBytes: row.max_payload_bytes,
    maxConcurrency: manifest.max_concurrency ?? null,
    idempotent: row.idempotent,
    streaming: row.streaming,
    jobs: jobsOf(manifest.capabilities?.jobs),
    acceptsTests: manifest.capabilities?.accepts_tests ?? false,
    a2aInvocable: manifest.capabilities?.a2a_invocable ?? true,
    retentionDays: row.retention_days,
    inputSchema: manifest.input_schema === undefined ? null : JSON.stringify(manifest.input_schema),
    outputSchema: manifest.output_schema === undefined ? null : JSON.stringify(manifest.output_schema),
    examples: manifest.examples ?? [],
    inputRole: inputRoleOf(manifest),
    sealedSigningSecret: row.signing_secret,
    card: manifest.agent_card ?? null,
    x402: manifest.x402 ? { priceUsd: manifest.x402.price_usd, payTo: manifest.x402.pay_to } : null,
    former: formerOf(row, manifest.x402?.pay_to),
  };
}

function formerOf(
  { price_effective_at: until, former_price: former }: ServingVersionRow,
  payTo: string | undefined,
): FormerTerms | null {
  if (!until || !former) return null;
  const { pricing, price_usd: priceUsd } = former;
  const x402 = priceUsd && payTo !== undefined ? { priceUsd, payTo } : null;
  return { until, terms: priceTerms(pricing), freeTierCalls: pricing.free_tier_calls, x402 };
}

/** The version with the price of a call: its own, or the former one. */
export function pricedBy(version: ServingVersion, isFormer: boolean): ServingVersion {
  if (!isFormer || !version.former) return version;
  const { until: _, ...former } = version.former;
  return { ...version, ...former };
}

/** The version with the price of now, by the clock of this process. Only the database decides what a call costs. */
export const pricedNow = (version: ServingVersion): ServingVersion =>
  pricedBy(version, version.former !== null && Date.now() < version.former.until.getTime());

function jobsOf(jobs: JobCapability | undefined): ServingVersion['jobs'] {
  if (!jobs) return null;
  const { max_seconds: maxSeconds, heartbeat_seconds: heartbeatSeconds } = completeJobs(jobs);
  const probeSeconds = jobs.probe_max_seconds ?? JOB_LIMITS.defaultProbeSeconds;
  return { maxSeconds, heartbeatSeconds, probeSeconds };
}
