import type { ApiScope } from './api-key';

/**
 * Lifetimes and limits of OAuth grants (docs/oauth.md, ADR 0083). A grant lets a client call one MCP endpoint for an
 * account, within scopes and a credit cap.
 */
export const CODE_SECONDS = 60;
export const ACCESS_TOKEN_SECONDS = 30 * 60;
/** A refresh token ends after this time without a use; each use issues the next one. */
export const REFRESH_TOKEN_SECONDS = 30 * 86_400;
/** A grant ends after this time, however often it was refreshed. */
export const GRANT_SECONDS = 365 * 86_400;
/** A used code or refresh token stays this long, so that a second use is recognized and ends the grant. */
export const REPLAY_SECONDS = 7 * 86_400;
/**
 * Within this time after its first use, a refresh token still gets tokens: a client whose answer was lost, or that
 * refreshes in two processes at once, is no thief (ADR 0194).
 */
export const REFRESH_GRACE_SECONDS = 30;
export const MAX_GRANTS_PER_ACCOUNT = 50;
/** The prefix of the client ids of programs, which have a secret of their own (ADR 0336). */
export const PROGRAM_ID = 'ocp';
export const isProgramId = (clientId: string): boolean => /^ocp_[0-9a-f]{32}$/.test(clientId);

/** Clients that no account has permitted anything: how many there are at most, and how long each of them stays. */
export const MAX_UNUSED_CLIENTS = 10_000;
export const UNUSED_CLIENT_SECONDS = 86_400;
/** A client that was used stays this long after its last permission. */
export const USED_CLIENT_SECONDS = GRANT_SECONDS + 30 * 86_400;

/** What a grant for the market permits by default: call agents, see the balance, dispute. */
export const MARKET_SCOPES: readonly ApiScope[] = ['agents:invoke', 'billing:read', 'disputes:write'];

export const CAP_WINDOWS = ['lifetime', 'day', 'week', 'month'] as const;
export type CapWindow = (typeof CAP_WINDOWS)[number];
export const MOST_LISTED_AGENTS = 40;
export const MOST_PINNED_AGENTS = 40;

/** What an API key or a grant may spend, and on which agents (ADR 0334). Null: no limit. */
export interface KeyLimits {
  /** Whole credits in each window. */
  creditCap: number | null;
  capWindow: CapWindow;
  /** Whole credits for one call. */
  callCap: number | null;
  leastTrust: number | null;
  onlyAgents: readonly string[] | null;
}

export const NO_LIMITS: KeyLimits = {
  creditCap: null,
  capWindow: 'lifetime',
  callCap: null,
  leastTrust: null,
  onlyAgents: null,
};

export interface GrantLimits extends KeyLimits {
  /** Agents that are tools of their own at `POST /mcp`, in this order (ADR 0335). */
  pinnedAgents: readonly string[] | null;
}

/** Pinned agents that the list of agents does not permit. */
export function foreignPins({
  onlyAgents,
  pinnedAgents,
}: Pick<GrantLimits, 'onlyAgents' | 'pinnedAgents'>): string[] {
  if (onlyAgents === null) return [];
  return (pinnedAgents ?? []).filter((agentId) => !onlyAgents.includes(agentId));
}

/** The cap that the consent page suggests, in credits. */
export const SUGGESTED_CAP_CREDITS = 500;
export const MAX_CAP_CREDITS = 1_000_000_000;

/** What a scope permits, as the consent page says it. */
export const SCOPE_WORDS: Readonly<Record<ApiScope, string>> = {
  'agents:invoke': 'Call this agent and pay for the calls with your credits',
  'agents:publish': 'Publish and change your agents',
  'agents:read': 'Read listings, usage and trust reports',
  'billing:read': 'Read your balance, ledger and invoices',
  'disputes:write': 'Dispute your calls, to get the money back',
  'keys:manage': 'Nothing here: an application makes no keys',
  'webhooks:manage': 'Read and change your webhooks',
};
