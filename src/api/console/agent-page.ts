/** The page of an agent as a crawler without JavaScript reads it: head, JSON-LD, and a text where the console loads. */
import { agentPage } from '../../domain/discovery/market-address';
import { type PageFacts, structuredData } from '../../domain/discovery/structured-data';
import { nextPriceInWords, priceInWords } from '../../domain/prices/price-words';
import { escaped, pageWithHead } from './page-head';

/** Reads what the page of an agent says. Undefined for an agent that visitors do not see. */
export type ReadAgentPage = (agentId: string) => Promise<PageFacts | undefined>;

const NOT_INDEXED = '<meta name="robots" content="noindex" />';
const LOADING = /<p class="first-text">[^<]*<\/p>/;

/** The console's page with what `facts` say about an agent. The console removes the text when it draws the page. */
export function pageOfAgent(page: string, origin: string, facts: PageFacts): string {
  const { displayName: title, description, agentId } = facts;
  const url = agentPage(origin, agentId);
  const head = [
    `<link rel="canonical" href="${escaped(url)}" />`,
    `<meta property="og:url" content="${escaped(url)}" />`,
    `<link rel="alternate" type="application/json" href="/v1/listings/${escaped(agentId)}" />`,
    '<link rel="ai-catalog" type="application/ai-catalog+json" href="/.well-known/ai-catalog.json" />',
    `<script type="application/ld+json">${jsonForScript(structuredData(origin, facts))}</script>`,
  ];
  return withHead(pageWithHead(page, { title, description }), head.join('\n')).replace(LOADING, () =>
    articleOf(origin, facts),
  );
}

/** The console's page for an agent that visitors do not see: search engines leave it out. */
export const pageOfNoAgent = (page: string): string => withHead(page, NOT_INDEXED);

const withHead = (page: string, more: string) => page.replace('</head>', () => `${more}\n</head>`);

function articleOf(origin: string, facts: PageFacts): string {
  const { agentId, badge, trustScore, developerName, developerId } = facts;
  const score = trustScore === null ? 'not scored' : `${trustScore} of 100`;
  const rows: [string, string][] = [
    ['Price', escaped(priceInWords(facts.pricing))],
    ...(facts.nextPrice
      ? [['Next price', escaped(nextPriceInWords(facts.nextPrice))] as [string, string]]
      : []),
    ['Developer', `<a href="/console/developers/${escaped(developerId)}">${escaped(developerName)}</a>`],
    ['Version', escaped(facts.version)],
    ['Category', escaped([facts.category, ...facts.tags].join(', '))],
    ['Verification', escaped(`${score}${badge === null ? '' : `, badge ${badge}`}`)],
    ['MCP', escaped(`${origin}/mcp/a/${agentId}`)],
    ...(facts.isA2aInvocable
      ? [['A2A', escaped(`${origin}/.well-known/agents/${agentId}/agent-card.json`)] as [string, string]]
      : []),
    ['REST', escaped(`POST ${origin}/v1/agents/${agentId}/invoke`)],
  ];
  const list = rows.map(([term, text]) => `<dt>${term}</dt><dd>${text}</dd>`).join('');
  return `<article class="first-text"><h2>${escaped(facts.displayName)}</h2><p>${escaped(facts.description)}</p><dl>${list}</dl></article>`;
}

/** JSON as the content of a script element: nothing in it ends the element or stands for a place of the page. */
function jsonForScript(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
    .replaceAll('__', '_\\u005f');
}
