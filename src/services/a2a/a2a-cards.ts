import { agentCard, type SkillTool, textField } from '../../domain/a2a/a2a-card';
import { cardOfBothVersions } from '../../domain/a2a/a2a-legacy';
import type { Json } from '../../domain/a2a/a2a-wire';
import { agentPage } from '../../domain/discovery/market-address';
import { MarketError } from '../../domain/errors';
import { asRecord } from '../../domain/json-value';
import { priceTerms } from '../../domain/catalogue/pricing';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import { signJws } from '../../kit/crypto/jws';
import type { DbPool } from '../../stores/db';
import type { AgentVisibility, Viewer } from '../../domain/catalogue/agent-state';
import { type ListingRow, readListing, readListingDetail } from '../../stores/catalogue/listings';
import type { SigningKeys } from '../evidence/signing-keys';
import { exampleInputs } from '../../domain/catalogue/example-inputs';
import { type CardToolsDeps, createCardTools } from './card-tools';
import { BoundedMap } from '../../kit/bounded-map';

const MAX_KEPT = 1_000;
const DAY_MS = 86_400_000;

export interface SignedCard {
  card: Json;
  /** Changes when the card or its signing key changes. */
  etag: string;
}

export interface AgentCardsDeps extends CardToolsDeps {
  pool: DbPool;
  keys: Pick<SigningKeys, 'active'>;
  origin: string;
  disputeWindowMs: number;
  /** True if callers without an account may pay by x402. */
  takesPayments: boolean;
}

/** A card of 1.0, and the card of both versions, which 0.3 can read too. */
export interface SignedCards {
  current: SignedCard;
  both: SignedCard;
}

/**
 * Public agent cards, signed with the evidence keys: a detached JWS over the canonical JSON of the card without
 * `signatures` (A2A 1.0, "Agent Card Signing"). Each combination of content and key is signed once per process. The
 * card of both versions has the signature of the card of 1.0 as well, for clients that drop members that they do not
 * know.
 */
export function createAgentCards(deps: AgentCardsDeps) {
  const toolsOf = createCardTools(deps);
  const signed = new BoundedMap<string, SignedCards>(MAX_KEPT);

  async function sign(card: Json): Promise<SignedCards> {
    const key = await deps.keys.active();
    const content = canonicalJson(card);
    const fingerprint = sha256Hex(`${key.kid}.${content}`).slice(0, 32);
    const known = signed.get(fingerprint);
    if (known) return known;
    const header = { typ: 'JOSE', jku: `${deps.origin}/.well-known/jwks.json` };
    const signatureOf = (text: string) => {
      const [protectedHeader, , signature] = signJws(text, key, header).split('.');
      return { protected: protectedHeader, signature };
    };
    const ofCurrent = signatureOf(content);
    const both = cardOfBothVersions(card);
    // Weak tags, because each process signs on its own and ECDSA signatures of the same text differ.
    const result = {
      current: { card: { ...card, signatures: [ofCurrent] }, etag: `W/"${fingerprint}"` },
      both: {
        card: { ...both, signatures: [signatureOf(canonicalJson(both)), ofCurrent] },
        etag: `W/"${fingerprint}.both"`,
      },
    };
    signed.set(fingerprint, result);
    return result;
  }

  return {
    /**
     * Returns the card of a live agent. Throws `not_found` if it is not live, is not shown to the viewer, or does not
     * accept calls from agents.
     */
    async of(agentId: string, viewer: Viewer): Promise<SignedCards & { visibility: AgentVisibility }> {
      const row = await readListing(deps.pool, agentId, viewer);
      if (!row?.publicPart.capabilities.a2a_invocable) throw new MarketError('not_found');
      const { manifest } = await readListingDetail(deps.pool, row);
      const tools = row.kind === 'mcp' ? await toolsOf(agentId, viewer) : [];
      const cards = await sign(cardOf(deps, row, { manifest, tools }));
      return { ...cards, visibility: row.visibility };
    },
  };
}

export type AgentCards = ReturnType<typeof createAgentCards>;

function cardOf(
  {
    origin,
    disputeWindowMs,
    takesPayments,
  }: Pick<AgentCardsDeps, 'origin' | 'disputeWindowMs' | 'takesPayments'>,
  row: ListingRow,
  { manifest, tools }: { manifest: Record<string, unknown>; tools: readonly SkillTool[] },
): Json {
  const { agentId } = row;
  const inputSchema = manifest['input_schema'];
  const { homepage, icon_url, pricing, data_handling } = row.publicPart;
  return agentCard({
    origin,
    agentId,
    displayName: row.displayName,
    description: row.description,
    version: row.version,
    category: row.category,
    tags: row.tags,
    developerName: row.developerName,
    homepage: homepage ?? null,
    documentationUrl: row.listed ? agentPage(origin, agentId) : `${origin}/v1/listings/${agentId}`,
    iconUrl: icon_url ?? null,
    inputExamples: exampleInputs(manifest),
    tools,
    terms: {
      pricing,
      nextPrice: row.nextPrice,
      dataHandling: data_handling,
      trustScore: row.trustScore,
      badge: row.badge,
      warranty: row.warranty,
      disputeDays: disputeWindowMs / DAY_MS,
    },
    acceptsFiles: row.kind === 'a2a' && takesFiles(manifest),
    acceptsText: row.kind !== 'mcp' && textField(inputSchema) !== undefined,
    takesPayments: takesPayments && isPayable(row),
    answersAnyType: row.kind === 'a2a' || (row.kind === 'http' && manifest['output_schema'] === undefined),
  });
}

/** True if callers without an account may pay for its calls: it costs something, and takes no jobs. */
const isPayable = ({ publicPart: { pricing, capabilities } }: ListingRow): boolean =>
  capabilities.jobs === undefined && priceTerms(pricing).maxCredits > 0;

const takesFiles = ({ agent_card: card }: Record<string, unknown>): boolean =>
  asRecord(asRecord(card)['takes'])['files'] === true;
