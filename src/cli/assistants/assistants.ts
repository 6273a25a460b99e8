/** Where assistants and editors keep their MCP servers, and how each of them connects (docs/mcp-configurations.md). */
import { join } from 'node:path';

export const ASSISTANTS = ['claude', 'vscode', 'cursor', 'chatgpt'] as const;
export type Assistant = (typeof ASSISTANTS)[number];

/** The server that an assistant is to use. It signs in by OAuth, so the address is all that it needs. */
export interface Server {
  name: string;
  url: string;
}

/** The machine and the folder that the command runs in. */
export interface Place {
  platform: NodeJS.Platform;
  home: string;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** An entry of a configuration file. `member`: the member of the document that has the servers. */
export interface ConfigEntry {
  file: string;
  member: string;
  entry: Record<string, unknown>;
}

/** The file that connects an assistant; undefined if it keeps its servers elsewhere. */
export function configOf(
  assistant: Assistant,
  { url }: Server,
  place: Place,
  isProject: boolean,
): ConfigEntry | undefined {
  const { home, cwd } = place;
  const http = { type: 'http', url };
  if (assistant === 'cursor')
    return {
      file: join(isProject ? cwd : home, '.cursor', 'mcp.json'),
      member: 'mcpServers',
      entry: { url },
    };
  if (assistant === 'vscode') {
    const file = isProject ? join(cwd, '.vscode', 'mcp.json') : join(codeFolder(place), 'User', 'mcp.json');
    return { file, member: 'servers', entry: http };
  }
  // Claude Code keeps the servers of a user among its state, which its own command changes.
  if (assistant === 'claude' && isProject)
    return { file: join(cwd, '.mcp.json'), member: 'mcpServers', entry: http };
  return undefined;
}

function codeFolder({ platform, home, env }: Place): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Code');
  if (platform === 'win32') return join(env['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'Code');
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'Code');
}

/** What a person does in an assistant that has no file for it. */
export function stepsOf(assistant: Assistant, { name, url }: Server): string {
  if (assistant === 'claude')
    return `Claude Code:
  claude mcp add --transport http --scope user ${name} ${url}
Then /mcp in Claude Code, and Authenticate.

Claude on the web, the desktop and the phone: Settings, Connectors, Add custom connector, with this address:
  ${url}`;
  return `ChatGPT: Settings, Apps & Connectors, Advanced, Developer mode. Then Create, with OAuth and this address:
  ${url}`;
}

/** What happens next in an assistant whose file was written. */
export const NEXT_STEP: Readonly<Record<Assistant, string>> = {
  claude: 'Start Claude Code in this folder, approve the server, and sign in: /mcp, Authenticate.',
  vscode: 'Start the server in VS Code (MCP: List Servers). It opens a browser to sign in.',
  cursor: 'Open Settings, MCP in Cursor, and connect the server. It opens a browser to sign in.',
  chatgpt: '',
};
