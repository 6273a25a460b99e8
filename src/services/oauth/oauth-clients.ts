/**
 * OAuth clients: those that registered themselves (RFC 7591), and those whose id is the URL of a document that
 * describes them (client id metadata documents). Neither is checked by a person, so the consent page shows where a
 * redirect leads.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  MAX_UNUSED_CLIENTS,
  UNUSED_CLIENT_SECONDS,
  USED_CLIENT_SECONDS,
} from '../../domain/accounts/oauth-grant';
import { MarketError } from '../../domain/errors';
import type { Egress } from '../../egress/agent-call';
import { EgressError } from '../../egress/egress-error';
import { newId } from '../../kit/ids/ids';
import { OauthFailure } from '../../kit/oauth/oauth-server';
import { parsedUrl } from '../../kit/parsed-url';
import { withTransaction, type DbPool } from '../../stores/db';
import { deleteIdleClients, findClient, insertClient } from '../../stores/oauth/oauth-clients';
import { consumeAll, type Limit, limitsOfNetwork, type RateLimits } from '../accounts/rate-limits';
import { readClientDocument, readClientMetadata } from './client-metadata';
import { BoundedMap } from '../../kit/bounded-map';

export interface OauthClientInfo {
  clientId: string;
  name: string;
  redirectUris: readonly string[];
  /** True if `clientId` is the URL of the document that describes the client. */
  isDocument: boolean;
}

export interface OauthClientsDeps {
  pool: DbPool;
  egress: Pick<Egress, 'json'>;
  rateLimits: Pick<RateLimits, 'consume' | 'peek'>;
  /** Registrations per address and hour. */
  registrationsPerAddress: number;
  now?: () => number;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const FETCHES_PER_ADDRESS = 30;
const FETCH_TIMEOUT_MS = 3_000;
const MAX_DOCUMENT_BYTES = 16 * 1024;
const DOCUMENT_FRESH_MS = 10 * MINUTE_MS;
const MAX_DOCUMENTS = 500;
const MAX_URL_LENGTH = 512;
/** Other ids are those of no client, and cost no query. */
const CLIENT_ID = /^ocl_[0-9a-f]{32}$/;

export function createOauthClients(deps: OauthClientsDeps) {
  const { pool } = deps;
  const documents = createDocuments(deps);
  const registered = async (clientId: string) =>
    CLIENT_ID.test(clientId) ? findClient(pool, clientId) : undefined;
  return {
    /**
     * Registers a client. Throws `OauthFailure` for metadata that it refuses, `rate_limited` for too many
     * registrations from one address.
     */
    async register(document: unknown, network: string): Promise<OauthClientInfo> {
      const metadata = readClientMetadata(document);
      limit(deps, 'oauth-registrations', network, {
        points: deps.registrationsPerAddress,
        windowMs: HOUR_MS,
      });
      const client = { clientId: newId('ocl'), ...metadata };
      await withTransaction(pool, (tx) => insertClient(tx, client, MAX_UNUSED_CLIENTS));
      return { ...client, isDocument: false };
    },

    /**
     * Finds a client for an authorization request. Fetches the document of a client whose id is a URL. Returns
     * undefined for an unknown id. Throws `OauthFailure` `invalid_client` if the document cannot be used.
     */
    async find(clientId: string, network: string): Promise<OauthClientInfo | undefined> {
      if (isDocumentUrl(clientId)) return documents.read(clientId, network);
      const client = await registered(clientId);
      return client && { ...client, isDocument: false };
    },

    /** Whether tokens can have been issued to this id, without fetching anything. */
    async isKnown(clientId: string): Promise<boolean> {
      return isDocumentUrl(clientId) || (await registered(clientId)) !== undefined;
    },

    /** Deletes up to `limit` clients that are no longer used. Returns how many. */
    purge: (most: number) =>
      deleteIdleClients(pool, {
        unusedSeconds: UNUSED_CLIENT_SECONDS,
        usedSeconds: USED_CLIENT_SECONDS,
        limit: most,
      }),
  };
}

export type OauthClients = ReturnType<typeof createOauthClients>;

function limit({ rateLimits }: OauthClientsDeps, name: string, network: string, rule: Limit): void {
  const quota = consumeAll(rateLimits, limitsOfNetwork(name, network, rule));
  if (quota.allowed) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((quota.resetAt - Date.now()) / 1_000));
  throw new MarketError('rate_limited', { retryAfterSeconds });
}

/** The rules for the URL of a client metadata document: https, a path, and one spelling. */
export function isDocumentUrl(clientId: string): boolean {
  if (!clientId.startsWith('https://') || clientId.length > MAX_URL_LENGTH) return false;
  const url = parsedUrl(clientId);
  // A path with dot segments, a user name or another spelling is not what it looks like.
  return url?.href === clientId && url.pathname !== '/' && url.username === '' && !clientId.includes('#');
}

/** Documents of clients, fetched through the egress rules and kept for ten minutes. */
function createDocuments(deps: OauthClientsDeps) {
  const { egress, now = Date.now } = deps;
  const known = new BoundedMap<string, { client: Promise<OauthClientInfo>; until: number }>(MAX_DOCUMENTS);

  async function fetchDocument(clientId: string): Promise<OauthClientInfo> {
    const deadlineMs = now() + FETCH_TIMEOUT_MS;
    const request = { url: clientId, method: 'GET' as const, headers: {} };
    const limits = { deadlineMs, maxResponseBytes: MAX_DOCUMENT_BYTES };
    const answer = await egress.json({ ...request, ...limits }).catch((error: unknown) => {
      if (!(error instanceof EgressError)) throw error;
    });
    if (answer?.status === 200)
      return { clientId, isDocument: true, ...readClientDocument(clientId, answer.value) };
    // The time of a failure would reveal its cause.
    await sleep(Math.max(0, deadlineMs - now()));
    throw unusable();
  }

  return {
    read(clientId: string, network: string): Promise<OauthClientInfo> {
      const kept = known.get(clientId);
      if (kept && kept.until > now()) return kept.client;
      limit(deps, 'oauth-documents', network, { points: FETCHES_PER_ADDRESS, windowMs: MINUTE_MS });
      const client = fetchDocument(clientId);
      known.set(clientId, { client, until: now() + DOCUMENT_FRESH_MS });
      client.catch(() => known.delete(clientId));
      return client;
    },
  };
}

/**
 * One sentence for every reason, so that the page reveals neither which names resolve nor which ports answer (ADR
 * 0195).
 */
function unusable(): OauthFailure {
  return new OauthFailure(
    'invalid_client',
    'The client metadata document cannot be read. It must be JSON of at most 16 KiB at a public https address, answered with 200 within 3 s.',
  );
}
