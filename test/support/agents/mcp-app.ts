/**
 * A developer's MCP server with an MCP App: a tool whose `_meta.ui` names a page (`ui://`), which the official library
 * connects to its host. Like many of them, the server offers the page only to clients that declare the extension.
 */
import { join } from 'node:path';
import { Server } from '@modelcontextprotocol/server';
import { build } from 'esbuild';
import { startMcpServer, type TestMcpServer } from './mcp-server';

type Json = Record<string, unknown>;

export const UI_EXTENSION = 'io.modelcontextprotocol/ui';
export const UI_MIME_TYPE = 'text/html;profile=mcp-app';
const PAGE = 'ui://forecast/card.html';
const ROOT = join(__dirname, '../../..');
const DEGREES: Record<string, number> = { Bergen: 9, Oslo: 12 };

/** Whether a client shows pages, as servers read it. */
export const showsPages = (capabilities: unknown): boolean => {
  const { extensions } = (capabilities ?? {}) as { extensions?: Record<string, Json> };
  return (extensions?.[UI_EXTENSION]?.['mimeTypes'] as string[] | undefined)?.includes(UI_MIME_TYPE) === true;
};

/** Bundles a script for a page, with the libraries that it imports. */
export async function scriptOf(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    ...{ bundle: true, format: 'iife', platform: 'browser', minify: true, write: false },
  });
  return outputFiles?.[0]?.text ?? '';
}

/** Shows what the tool answered, calls it once more, and tries to reach the addresses. */
const script = (addresses: readonly string[]) => `
  import { App } from '${require.resolve('@modelcontextprotocol/ext-apps')}';
  const app = new App({ name: 'Forecast', version: '1.0.0' }, {}, { autoResize: false });
  const show = (id, text) => { document.getElementById(id).textContent = text; };
  const words = ({ structuredContent: { city, degrees } }) => city + ': ' + degrees + ' degrees';
  app.ontoolinput = ({ arguments: { city } }) => show('input', 'Asked for ' + city);
  app.ontoolresult = (result) => show('result', words(result));
  document.getElementById('more').onclick = async () =>
    show('second', words(await app.callServerTool({ name: 'forecast', arguments: { city: 'Oslo' } })));
  const reach = (address) => fetch(address).then(() => 'reached', () => 'refused');
  const all = async () => {
    const ways = [];
    for (const address of ${JSON.stringify(addresses)}) ways.push(address + ' ' + await reach(address));
    show('ways', ways.join(', '));
  };
  void app.connect().then(all);`;

async function pageOf(addresses: readonly string[]): Promise<string> {
  const code = (await scriptOf(script(addresses))).replaceAll('</script', '<\\/script');
  const places = ['input', 'result', 'second', 'ways'].map((id) => `<p id="${id}"></p>`);
  return `<!doctype html><title>Forecast</title><button id="more">Oslo</button>${places.join('')}<script>${code}</script>`;
}

/** Its page tries to reach the addresses, and its policy wants to allow the origins of them all. */
export async function startAppServer(addresses: readonly string[]): Promise<TestMcpServer> {
  const text = await pageOf(addresses);
  const connectDomains = addresses.map((address) => new URL(address).origin);
  return startMcpServer('legacy-session-sse', () => {
    const server = new Server(
      { name: 'forecasts', version: '1.0.0' },
      { capabilities: { tools: {}, resources: {} } },
    );
    const tool = { name: 'forecast', description: 'Forecasts the weather', inputSchema: { type: 'object' } };
    const _meta = { ui: { resourceUri: PAGE } };
    server.setRequestHandler('tools/list', async () => {
      const isShown = showsPages(server.getClientCapabilities());
      return { tools: [{ ...tool, ...(isShown && { _meta }) }] } as never;
    });
    server.setRequestHandler('tools/call', async ({ params }) => {
      const city = String(params.arguments?.['city']);
      const structuredContent = { city, degrees: DEGREES[city] };
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    });
    server.setRequestHandler('resources/list', async () => ({
      resources: [{ uri: PAGE, name: 'card', mimeType: UI_MIME_TYPE }],
    }));
    server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
      const ui = { csp: { connectDomains } };
      return { contents: [{ uri, mimeType: UI_MIME_TYPE, text, _meta: { ui } }] };
    });
    return server;
  });
}
