import type { PageFacts } from '../../domain/discovery/structured-data';
import {
  type ListedAgent,
  listListedIds,
  listPageEnds,
  readListedAgent,
} from '../../stores/catalogue/listed-agents';
import { agentPage } from '../../domain/discovery/market-address';
import { sitemap, sitemapIndex } from '../../domain/discovery/sitemap';
import { MarketError } from '../../domain/errors';
import type { Db } from '../../stores/db';
import { createListedDocuments } from './listed-documents';

/** Agents of a sitemap: a tenth of what the protocol permits, so that one is a megabyte at most. */
const PAGE = 5_000;
const KEPT_FOR_MS = 300_000;
const MOST_KEPT = 16;

interface Deps {
  reads: Db;
  origin: string;
  /** False if agents are shown to accounts alone. */
  isOpen: boolean;
}

/**
 * The public pages of agents, for crawlers: what each says, and the sitemaps that name them all. Agents that search
 * does not list have none. Sitemaps are read page by page, and kept for five minutes in each process, or until an agent
 * in them leaves search.
 */
export function createPublicAgents({ reads, origin, isOpen }: Deps) {
  const kept = createListedDocuments({ reads, forMs: KEPT_FOR_MS, most: MOST_KEPT });
  const addressOf = (name: string) => `${origin}/sitemap/${name}.xml`;

  const agentsBehind = (after: string) =>
    kept.get(`agents ${after}`, async () => {
      const agents = isOpen ? await listListedIds(reads, { after, limit: PAGE }) : [];
      // The protocol knows no sitemap without a page.
      if (agents.length === 0) throw new MarketError('not_found');
      return sitemap(
        agents.map(({ agentId, updatedAt }) => ({
          address: agentPage(origin, agentId),
          changedAt: updatedAt,
        })),
      );
    });

  return {
    /** What the page of an agent says. Undefined for an agent that visitors do not see. */
    async page(agentId: string): Promise<PageFacts | undefined> {
      const row = isOpen ? await readListedAgent(reads, agentId) : undefined;
      return row && factsOf(row);
    },

    /** `/sitemap.xml`: the pages of the market itself, then the agents. */
    index: () =>
      kept.get('index', async () => {
        const [first] = isOpen ? await listListedIds(reads, { after: '', limit: 1 }) : [];
        const ends = first ? ['agents', ...(await listPageEnds(reads, PAGE))] : [];
        return sitemapIndex(['pages', ...ends].map(addressOf));
      }),

    /** The first agents. */
    firstSitemap: () => agentsBehind(''),

    /** The agents behind one. Throws `not_found` if there are none. */
    sitemapBehind: (agentId: string) => agentsBehind(agentId),
  };
}

export type PublicAgents = ReturnType<typeof createPublicAgents>;

function factsOf(row: ListedAgent): PageFacts {
  const { pricing, homepage, icon_url: iconUrl, capabilities } = row.publicPart;
  return { ...row, pricing, homepage, iconUrl, isA2aInvocable: capabilities.a2a_invocable };
}
