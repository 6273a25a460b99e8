import type { PageFacts } from '../../domain/discovery/structured-data';
import { pageOfAgent, pageOfNoAgent } from './agent-page';
import { agentOfPage, pageWithHead } from './page-head';

const PAGE = `<head><meta
      name="description"
      content="A marketplace."
    /><meta property="og:title" content="Agent marketplace" /><meta property="og:description" content="A marketplace." />
<title>Agent marketplace</title></head>`;

it('says what an agent is, in place of what the marketplace is', () => {
  const html = pageWithHead(PAGE, { title: 'Unit converter', description: 'Converts\n  units.' });
  expect(html).toContain('<title>Unit converter · Agent marketplace</title>');
  expect(html).toContain('property="og:title" content="Unit converter"');
  expect(html.match(/content="Converts units\."/g)).toHaveLength(2);
});

it.each([
  [`"><script>alert(1)</script>`, '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'],
  ["$& $1 $' `", '$&amp; $1 $&#39; `'],
  ['__CSP_NONCE__', '_&#95;CSP_NONCE_&#95;'],
])('writes the characters of a name as text: %s', (title, shown) => {
  const html = pageWithHead(PAGE, { title, description: title });
  expect(html.split(`content="${shown}"`)).toHaveLength(4);
  expect(html).toContain(`<title>${shown} · `);
});

it('keeps the description of the marketplace for an agent without one, and shortens a long one', () => {
  expect(pageWithHead(PAGE, { title: 'X', description: ' ' })).toContain('content="A marketplace."');
  const shortOf = (description: string) =>
    /og:description" content="([^"]*)"/.exec(pageWithHead(PAGE, { title: 'X', description }))?.[1];
  expect(shortOf('y'.repeat(900))).toBe(`${'y'.repeat(199)}…`);
  expect(shortOf(`y${'😀'.repeat(900)}`)).toBe(`y${'😀'.repeat(198)}…`);
});

it.each([
  ['agents/agt_x_v1', 'agt_x_v1'],
  ['agents/agt_x_v1/try', 'agt_x_v1'],
  ['agents/agt_x_v1/other', undefined],
  ['agents/../agt_x_v1', undefined],
  ['developer/agents/agt_x_v1', undefined],
])('knows the pages of agents: %s', (path, agentId) => {
  expect(agentOfPage(path)).toBe(agentId);
});

const SHELL = `<head>${PAGE.slice('<head>'.length, -'</head>'.length)}</head>
<body><div id="frame"><p class="first-text">Loading…</p></div></body>`;
const HOSTILE = `</script></article><script>alert("'1'")</script>\u2028 __CSP_NONCE__ __SESSION__ $& $1`;
const FACTS: PageFacts = {
  agentId: 'agt_x_v1',
  displayName: HOSTILE,
  description: HOSTILE,
  version: '1.2.0',
  category: 'other',
  tags: ['a', HOSTILE],
  developerId: 'dev_x',
  developerName: HOSTILE,
  badge: 'basic',
  trustScore: 61,
  pricing: { model: 'per_call', credits_per_call: 5, free_tier_calls: 0 },
  nextPrice: null,
  homepage: null,
  iconUrl: null,
  isA2aInvocable: true,
  updatedAt: new Date(0),
};

it('shows a crawler without JavaScript what an agent is, with every hostile text as text', () => {
  const html = pageOfAgent(SHELL, 'https://market.example.com', FACTS);
  const url = 'https://market.example.com/console/agents/agt_x_v1';
  expect(html).toContain(`<link rel="canonical" href="${url}" />`);
  expect(html).not.toContain('Loading…');
  expect(html).not.toMatch(/__(CSP_NONCE|SESSION)__/);
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html.match(/<\/(script|article)>/g)).toEqual(['</script>', '</article>']);
  const [, json = ''] = /<script type="application\/ld\+json">([^]*?)<\/script>/.exec(html) ?? [];
  expect(JSON.parse(json)).toMatchObject({
    '@type': 'SoftwareApplication',
    '@id': url,
    name: HOSTILE,
    author: { name: HOSTILE },
    offers: { '@type': 'Offer', price: '0.05', priceCurrency: 'USD' },
  });
  const [, article = ''] = /<article[^>]*>([^]*)<\/article>/.exec(html) ?? [];
  for (const part of ['&lt;/script&gt;', '5 credits a call', '61 of 100, badge basic', '/mcp/a/agt_x_v1'])
    expect(article).toContain(part);
});

it('is left out by search engines for an agent that visitors do not see', () => {
  expect(pageOfNoAgent(SHELL)).toContain('<meta name="robots" content="noindex" />\n</head>');
});
