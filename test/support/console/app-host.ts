/** An assistant that shows the pages of MCP Apps, with the official bridge: what the browser of its user sees. */
import type { Browser, Page } from 'playwright-core';
import { scriptOf } from '../agents/mcp-app';

type Json = Record<string, unknown>;

interface AppPage {
  html: string;
  /** What the resource says of its policy. */
  csp: Json;
  /** The arguments of the call that is shown, and its result. */
  input: Json;
  result: Json;
  /** Calls a tool that the page asks for. */
  callTool: (params: Json) => Promise<Json>;
}

const HOST = 'http://assistant.example';

const bridge = () => `
  import { AppBridge, PostMessageTransport } from '${require.resolve('@modelcontextprotocol/ext-apps/app-bridge')}';
  window.showApp = async ({ input, result }) => {
    const { contentWindow } = document.querySelector('iframe');
    const bridge = new AppBridge(null, { name: 'Assistant', version: '1.0.0' }, { serverTools: {} });
    bridge.oncalltool = (params) => window.callTool(params);
    const ready = new Promise((resolve) => { bridge.oninitialized = resolve; });
    await bridge.connect(new PostMessageTransport(contentWindow, contentWindow));
    document.querySelector('iframe').src = '/page';
    await ready;
    await bridge.sendToolInput({ arguments: input });
    await bridge.sendToolResult(result);
  };`;

/** The policy of a page, as the specification of MCP Apps makes it of the domains of its resource. */
function policyOf({ connectDomains, resourceDomains, frameDomains, baseUriDomains }: Json): string {
  const list = (domains: unknown, first = '') => {
    const sources = [first, ...(Array.isArray(domains) ? (domains as string[]) : [])].filter(Boolean);
    return sources.length === 0 ? "'none'" : sources.join(' ');
  };
  return [
    "default-src 'none'",
    `script-src ${list(resourceDomains, "'self' 'unsafe-inline'")}`,
    `style-src ${list(resourceDomains, "'self' 'unsafe-inline'")}`,
    `img-src ${list(resourceDomains, "'self' data:")}`,
    `connect-src ${list(connectDomains)}`,
    `frame-src ${list(frameDomains)}`,
    `base-uri ${list(baseUriDomains)}`,
  ].join('; ');
}

/** Opens the assistant with the page of an app, in a frame of no origin. Other origins answer everybody. */
export async function showApp(browser: Browser, app: AppPage): Promise<Page> {
  const [code, context] = [await scriptOf(bridge()), await browser.newContext()];
  await context.route('**/*', async (route) => {
    const { origin, pathname } = new URL(route.request().url());
    if (origin !== HOST)
      return route.fulfill({ body: '{}', headers: { 'access-control-allow-origin': '*' } });
    const isPage = pathname === '/page';
    const body = isPage
      ? app.html
      : `<!doctype html><title>Assistant</title><iframe sandbox="allow-scripts"></iframe><script>${code.replaceAll('</script', '<\\/script')}</script>`;
    const headers = isPage ? { 'content-security-policy': policyOf(app.csp) } : {};
    return route.fulfill({ contentType: 'text/html; charset=utf-8', body, headers });
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await page.exposeFunction('callTool', app.callTool);
  await page.goto(`${HOST}/`);
  await page.evaluate(`showApp(${JSON.stringify({ input: app.input, result: app.result })})`);
  return page;
}
