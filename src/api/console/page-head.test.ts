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
