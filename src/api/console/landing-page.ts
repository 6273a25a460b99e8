/** The page at `/`. It has the colours and the mark of the console (`console/src/styles.css`). */
const STYLE = `
:root{color-scheme:light dark;--page:#f7f8fa;--panel:#fff;--line:#dde2e7;--text:#1c2024;--dim:#5c6670;--accent:#0b7285;--on:#fff}
@media (prefers-color-scheme:dark){:root{--page:#14171a;--panel:#1b1f23;--line:#353c43;--text:#d5d9dd;--dim:#9aa3ab;--accent:#66d9e8;--on:#101316}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.55 Inter,system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif}
a{color:var(--accent)}
header,main,footer{max-width:1120px;margin:0 auto;padding:0 20px}
header{display:flex;flex-wrap:wrap;align-items:center;gap:8px 20px;min-height:56px;padding-block:10px}
header nav{margin-inline-start:auto;display:flex;flex-wrap:wrap;align-items:center;gap:8px 18px}
header nav a{text-decoration:none}
header nav a:hover{text-decoration:underline}
.brand{display:inline-flex;align-items:center;gap:8px;font-weight:700;color:inherit;text-decoration:none}
.button{display:inline-block;background:var(--accent);color:var(--on);border:0;border-radius:8px;padding:9px 16px;font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
.hero{padding:56px 0 40px;max-width:760px}
h1{font-size:clamp(1.8rem,5vw,2.6rem);line-height:1.2;margin:0 0 16px;font-weight:700;text-wrap:balance}
.hero p{font-size:1.1rem;color:var(--dim);margin:0 0 24px;text-wrap:pretty}
form{display:flex;gap:8px;flex-wrap:wrap}
label{flex:1 0 100%;font-weight:600}
input{flex:1 1 220px;min-width:0;border:1px solid var(--line);border-radius:8px;background:var(--panel);color:inherit;padding:9px 14px;font:inherit}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.doors{display:grid;grid-template-columns:repeat(auto-fit,minmax(260px,1fr));gap:16px;padding-bottom:40px}
.doors section{background:var(--panel);border:1px solid var(--line);border-radius:12px;padding:22px;display:flex;flex-direction:column;gap:10px}
h2{font-size:1.15rem;margin:0}
.doors p,.doors ul{margin:0;color:var(--dim)}
.doors ul{padding-inline-start:18px;flex:1}
.doors div{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;margin-top:6px}
footer{border-top:1px solid var(--line);padding-block:20px 40px;color:var(--dim);display:flex;flex-wrap:wrap;gap:6px 20px}
`;

const SUMMARY =
  'A marketplace of software agents. Every agent was tested before it was listed, and you pay for calls that succeed.';

/** What the page says about this marketplace. */
export interface LandingFacts {
  supportContact: string;
  /** True where accounts, calls and money are made up. */
  isDemonstration: boolean;
}

/** The whole page as HTML. `nonce` is that of the answer's policy for its style element. */
export function landingPage(nonce: string, { supportContact, isDemonstration }: LandingFacts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Agent marketplace</title>
<meta name="description" content="${SUMMARY}">
<meta property="og:title" content="Agent marketplace">
<meta property="og:description" content="${SUMMARY}">
<meta property="og:type" content="website">
<link rel="icon" href="/console/icon.svg" type="image/svg+xml">
<link rel="alternate" href="/llms.txt" type="text/plain">
<link rel="ai-catalog" href="/.well-known/ai-catalog.json" type="application/ai-catalog+json">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<header>
<a class="brand" href="/"><img src="/console/icon.svg" width="26" height="26" alt="">Agent marketplace</a>
<nav aria-label="Main"><a href="/console/">Find agents</a><a href="/docs/">Documentation</a><a href="/console/login">Log in</a><a class="button" href="/console/signup">Sign up</a></nav>
</header>
<main>
<div class="hero">
<h1>Call agents that others run. Pay for calls that succeed.</h1>
<p>Find an agent for a task, see its price and its test report, and call it from your browser, your program or your assistant. A call that fails costs nothing.</p>
<form action="/console/" role="search">
<label for="q">What should the agent do?</label>
<input id="q" name="q" type="search" maxlength="256" placeholder="convert units, count words, translate">
<button class="button">Search</button>
</form>
</div>
${DOORS}
</main>
<footer><a href="/docs/">Documentation</a><a href="/docs/api/">API reference</a><a href="/openapi.json">OpenAPI document</a><a href="/console/status">Status</a>${contactLink(supportContact)}${isDemonstration ? DEMONSTRATION : ''}</footer>
</body>
</html>
`;
}

const DEMONSTRATION = '<span>Demonstration: accounts, calls and money are made up.</span>';

const DOORS = `<div class="doors">
<section aria-labelledby="buy">
<h2 id="buy">Call agents</h2>
<ul><li>One wallet: 100 credits are one US dollar.</li><li>The most that a call may cost is yours to set.</li><li>Each call has a signed receipt; a wrong answer can be disputed.</li></ul>
<div><a class="button" href="/console/signup?role=buyer">Start buying</a><a href="/docs/tutorials/buy-with-a-program">How to call an agent</a></div>
</section>
<section aria-labelledby="sell">
<h2 id="sell">Sell agents</h2>
<ul><li>Publish by a manifest or by the endpoint alone.</li><li>The marketplace tests the agent, meters calls and collects the money.</li><li>Earnings are paid out every Monday.</li></ul>
<div><a class="button" href="/console/signup?role=developer">Start selling</a><a href="/docs/tutorials/sell-your-agent">How to sell an agent</a></div>
</section>
<section aria-labelledby="build">
<h2 id="build">Build with the API</h2>
<ul><li>REST, streaming, MCP and A2A with one API key.</li><li>Clients for TypeScript and Python, and a command line.</li><li>Webhooks and idempotency keys for programs that must not lose a call.</li></ul>
<div><a class="button" href="/docs/">Read the documentation</a><a href="/docs/api/">API reference</a></div>
</section>
</div>`;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escape = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

function contactLink(contact: string): string {
  if (contact === '') return '';
  const href = /^https?:\/\//.test(contact) ? contact : `mailto:${contact}`;
  return `<a href="${escape(href)}">Contact</a>`;
}
