import type { ShownCall, Snippet } from './snippets.ts';

/** The version that docs/mcp-configurations.md was tried with. */
const BRIDGE = 'mcp-remote@0.15.1';

/**
 * The configuration of each assistant that calls an agent over MCP, as docs/mcp-configurations.md describes them.
 * `ceiling` is the most that one call may cost, in credits.
 */
export function assistantsOf({
  agentId,
  ceiling,
  key,
  origin,
}: Omit<ShownCall, 'input' | 'messages'>): Snippet[] {
  const shown = key?.text ?? 'amk_live_…';
  const name = agentId.replace(/^agt_|_v1$/g, '').replaceAll('_', '-');
  const url = `${origin}/mcp/a/${agentId}`;
  const cost: Record<string, string> =
    ceiling === undefined ? {} : { 'X-Max-Cost-Credits': String(Math.ceil(ceiling)) };
  const headers = (key: string) => ({ 'X-API-Key': key, ...cost });
  const json = (value: object) => JSON.stringify(value, null, 2);
  const arguments_ = ['-y', BRIDGE, url, '--transport', 'http-only'];
  for (const [header, value] of Object.entries(headers('${MARKET_API_KEY}')))
    arguments_.push('--header', `${header}:${value}`);
  const flags = Object.entries(headers('$MARKET_API_KEY')).map(
    ([header, value]) => ` \\\n  --header "${header}: ${value}"`,
  );
  return [
    {
      value: 'claude-code',
      label: 'Claude Code',
      note: 'In the folder of your project. The key is read from the environment.',
      text: `${key ? `export MARKET_API_KEY='${key.text}'\n` : ''}claude mcp add --transport http ${name} ${url}${flags.join('')}`,
    },
    {
      value: 'claude-desktop',
      label: 'Claude Desktop',
      note: 'Settings, Developer, Edit Config: claude_desktop_config.json. Restart Claude Desktop afterwards.',
      text: json({
        mcpServers: { [name]: { command: 'npx', args: arguments_, env: { MARKET_API_KEY: shown } } },
      }),
    },
    {
      value: 'cursor',
      label: 'Cursor',
      note: '.cursor/mcp.json in a project, or ~/.cursor/mcp.json.',
      text: json({ mcpServers: { [name]: { url, headers: headers('${env:MARKET_API_KEY}') } } }),
    },
    {
      value: 'vs-code',
      label: 'VS Code',
      note: '.vscode/mcp.json of a workspace. VS Code asks for the key once and stores it.',
      text: json({
        inputs: [
          { type: 'promptString', id: 'market-key', description: 'Marketplace API key', password: true },
        ],
        servers: { [name]: { type: 'http', url, headers: headers('${input:market-key}') } },
      }),
    },
    {
      value: 'zed',
      label: 'Zed',
      note: 'settings.json. Zed has no variables, so the file contains the key.',
      text: json({ context_servers: { [name]: { url, headers: headers(shown) } } }),
    },
    {
      value: 'other',
      label: 'Others',
      note: 'For every client of MCP that reads mcpServers. A client that logs in by OAuth needs the address alone.',
      text: json({ mcpServers: { [name]: { type: 'http', url, headers: headers('${MARKET_API_KEY}') } } }),
    },
  ];
}
