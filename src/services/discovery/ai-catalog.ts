import {
  agentEntries,
  type CatalogEntry,
  type CatalogFacts,
  claimsOf,
  didDocument,
  didOf,
  hostInfo,
  marketEntry,
  pageEntry,
} from '../../domain/discovery/ai-catalog';
import type { MarketAddress } from '../../domain/discovery/market-address';
import { MARKET_VERSION } from '../../domain/discovery/server-json';
import { MarketError } from '../../domain/errors';
import { signJws } from '../../kit/crypto/jws';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import { type ListedAgent, listListedAgents, listPageEnds } from '../../stores/catalogue/listed-agents';
import type { Db } from '../../stores/db';
import type { SigningKey, SigningKeys } from '../evidence/signing-keys';
import { createListedDocuments } from './listed-documents';

/** Agents of a page. Signing both entries of 50 takes about 40 ms of a processor, which other requests wait for. */
const PAGE = 50;
const KEPT_FOR_MS = 60_000;
const MOST_KEPT = 32;
/** A signature ends, so that the manifest of an agent that is suspended later does not speak for it for ever. */
const VALID_FOR_MS = 86_400_000;
const PROFILE = 'did-web-v1';

interface Deps {
  reads: Db;
  keys: Pick<SigningKeys, 'active' | 'published'>;
  market: MarketAddress;
  /** False if agents are shown to accounts alone. */
  isOpen: boolean;
  now?: () => Date;
}

interface Signer {
  did: string;
  key: SigningKey;
  issuedAt: Date;
}

/**
 * The AI Catalog of the market, as JSON text with its tag. Its first document has the market's own server and the
 * first agents, and names the further pages. Entries and documents are signed if the market has a `did:web` identity
 * (ADR 0349).
 */
export function createAiCatalog({ reads, keys, market, isOpen, now = () => new Date() }: Deps) {
  const did = didOf(market);
  const kept = createListedDocuments({ reads, forMs: KEPT_FOR_MS, most: MOST_KEPT });

  async function signer(): Promise<Signer | undefined> {
    return did === undefined ? undefined : { did, key: await keys.active(), issuedAt: now() };
  }

  async function write(agents: readonly ListedAgent[], first: CatalogEntry[], last: CatalogEntry[]) {
    const by = await signer();
    const entries = [
      ...first.map((entry) => trusted(market, by, entry)),
      ...agents.flatMap((row) => {
        const facts = factsOf(row);
        return agentEntries(market, facts).map((entry) => trusted(market, by, entry, facts));
      }),
      ...last,
    ];
    const catalog = { specVersion: '1.0', host: hostInfo(market), entries };
    return JSON.stringify(by ? signed(by, catalog, 'ai-catalog+jws') : catalog);
  }

  return {
    /** `/.well-known/ai-catalog.json`. While agents are shown to accounts alone, it has the market's own server. */
    root: () =>
      kept.get('', async () => {
        const own = [marketEntry(market, MARKET_VERSION)];
        if (!isOpen) return write([], own, []);
        const [agents, ends] = await Promise.all([
          listListedAgents(reads, { after: '', limit: PAGE }),
          listPageEnds(reads, PAGE),
        ]);
        return write(
          agents,
          own,
          ends.map((end) => pageEntry(market, end)),
        );
      }),

    /** The page behind an agent. Throws `not_found` if agents are shown to accounts alone, or none is listed there. */
    page: (after: string) =>
      kept.get(after, async () => {
        const agents = isOpen ? await listListedAgents(reads, { after, limit: PAGE }) : [];
        if (agents.length === 0) throw new MarketError('not_found');
        return write(agents, [], []);
      }),

    /** The DID document of the market. Throws `not_found` if its origin has none. */
    async didDocument() {
      if (did === undefined) throw new MarketError('not_found');
      const [published, { kid }] = await Promise.all([keys.published(), keys.active()]);
      return didDocument(did, published, kid);
    },
  };
}

export type AiCatalog = ReturnType<typeof createAiCatalog>;

function factsOf(row: ListedAgent): CatalogFacts {
  const { pricing, icon_url: iconUrl, capabilities } = row.publicPart;
  return { ...row, pricing, iconUrl, isA2aInvocable: capabilities.a2a_invocable };
}

/** The entry with the digest of its content, and with what the market says about it. */
function trusted(
  market: MarketAddress,
  by: Signer | undefined,
  entry: CatalogEntry,
  facts?: CatalogFacts,
): CatalogEntry {
  const whole =
    entry.data === undefined ? entry : { ...entry, digest: `sha256:${sha256Hex(canonicalJson(entry.data))}` };
  if (!by) return whole;
  const claims = claimsOf(market, by.did, whole, facts);
  return { ...whole, trustManifests: [signed(by, claims, 'ai-catalog-trust-manifest+jws')] };
}

/** The document with a detached JWS over its JCS form, in which the signature has all members but `jws`. */
function signed<Document extends object>({ did, key, issuedAt }: Signer, document: Document, typ: string) {
  const signature = {
    signer: did,
    profile: PROFILE,
    issuedAt: issuedAt.toISOString(),
    expiresAt: new Date(issuedAt.getTime() + VALID_FOR_MS).toISOString(),
  };
  const payload = canonicalJson({ ...document, signature });
  const [header, , mark] = signJws(payload, key, { kid: `${did}#${key.kid}`, typ }).split('.');
  return { ...document, signature: { ...signature, jws: `${header}..${mark}` } };
}
