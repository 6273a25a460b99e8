/** For tests of self-hosted agents: agents that are live without verification, and calls by developer and slug. */
import { documentOf, type Protocol } from '../../../src/domain/catalogue/registration';
import { canonicalJson, sha256Hex } from '../../../src/kit/json/canonical-json';
import { newId } from '../../../src/kit/ids/ids';
import { newSigningSecret } from '../../../src/kit/crypto/webhook-signature';
import { signingSecretContext } from '../../../src/services/catalogue/signing-secret';
import { insertVersion } from '../../../src/stores/catalogue/agent-versions';
import { claimSlug, insertAgent } from '../../../src/stores/catalogue/agents';
import { passVersion, type InvokeReply, type TestMarket, type TestUser } from '../market';
import { newSlug } from '../names';

export interface SelfHosted {
  agentId: string;
  slug: string;
  /** The developer id. */
  owner: string;
  signingSecret: string;
}

/**
 * Makes a self-hosted agent live at `url`, without verification; the tests of registration use the public operations.
 */
export async function putSelfHosted(
  { owner, container }: Pick<TestMarket, 'owner' | 'container'>,
  developer: Pick<TestUser, 'userId'>,
  url: string,
  options: {
    protocol?: Protocol;
    credits?: number;
    slug?: string;
    major?: number;
    jobs?: { max_seconds: number; heartbeat_seconds?: number };
  } = {},
): Promise<SelfHosted> {
  const { protocol = 'http', credits = 10, slug = newSlug('used'), major = 1 } = options;
  const agentId = `agt_${slug.replaceAll('-', '_')}_v${major}`;
  const version = `${major}.0.0`;
  const found = await owner.query<{ developer_id: string }>(
    'SELECT developer_id FROM users WHERE user_id = $1',
    [developer.userId],
  );
  const author = found.rows[0]?.developer_id ?? '';
  const access = { endpoint_url: url, price_per_call_units: credits * 100, protocol };
  const { jobs } = options;
  const manifest = documentOf(
    { slug, name: 'Used', access_config: access, ...(jobs && { capabilities: { jobs } }) },
    { author, version },
  );
  const manifestJson = canonicalJson(manifest);
  const signingSecret = newSigningSecret();
  const sealedSigningSecret = await container.cipher.seal(
    Buffer.from(signingSecret),
    signingSecretContext(agentId),
  );
  const versionId = newId('agv');
  await owner.query('BEGIN');
  await claimSlug(owner, slug, developer.userId);
  await insertAgent(owner, {
    agentId,
    slug,
    major,
    kind: protocol,
    developerUserId: developer.userId,
    sealedSigningSecret,
  });
  await insertVersion(owner, {
    versionId,
    agentId,
    number: { major, minor: 0, patch: 0 },
    state: 'submitted',
    manifest,
    manifestJson,
    manifestSha256: sha256Hex(manifestJson),
  });
  await passVersion(owner, agentId, versionId);
  await owner.query('COMMIT');
  return { agentId, slug, owner: author, signingSecret };
}

export interface UseReply extends Omit<InvokeReply, 'body'> {
  body: InvokeReply['body'] & { content_type?: string; output_encoding?: string };
}

/** POST /v1/agents/{owner}/{slug}/use: bytes and texts as they are, everything else as JSON. */
export async function use(
  { url }: Pick<TestMarket, 'url'>,
  buyer: Pick<TestUser, 'cookie'> | null,
  { owner, slug }: Pick<SelfHosted, 'owner' | 'slug'>,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<UseReply> {
  const isVerbatim = typeof body === 'string' || body instanceof Buffer;
  const response = await fetch(`${url}/v1/agents/${owner}/${slug}/use`, {
    method: 'POST',
    headers: {
      ...(buyer && { cookie: buyer.cookie }),
      ...(!isVerbatim && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: isVerbatim ? body : JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as UseReply['body'],
  };
}
