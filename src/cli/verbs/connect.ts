import { homedir } from 'node:os';
import { Argument, type Command } from 'commander';
import {
  type Assistant,
  ASSISTANTS,
  configOf,
  NEXT_STEP,
  type Server,
  stepsOf,
} from '../assistants/assistants';
import { mergedConfig, writeConfig } from '../assistants/merge-config';
import { verb, type VerbResult } from '../command-line';
import { apiAddress, connect, findAgent, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';

interface ConnectOptions extends GlobalOptions {
  name?: string;
  project?: boolean;
  print?: boolean;
  replace?: boolean;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** `market connect …`: gives an assistant the MCP server of the market, or that of one agent (docs/oauth.md). */
export function connectVerbs(program: Command): void {
  program
    .command('connect')
    .addArgument(new Argument('<assistant>', 'the assistant or editor').choices(ASSISTANTS))
    .argument('[agent]', 'agent id or slug; without: the market, with all agents')
    .option('--project', 'for the current folder, not for all of your work')
    .option('--name <name>', 'name of the server in the assistant; default: market, or the agent')
    .option('--print', 'prints what would be written, and writes nothing')
    .option('--replace', 'replaces another server of the same name')
    .description('adds the market, or one agent, to the configuration of an assistant')
    .addHelpText(
      'after',
      `
VS Code and Cursor get an entry in their file; other entries stay, and the file before is kept as <file>.bak. For Claude and
ChatGPT, the command prints the line or the address to paste; with --project, Claude Code gets an entry in .mcp.json. The
assistant signs in by OAuth: no key is written.

Examples:
  market connect claude
  market connect vscode
  market connect cursor agt_pdf_parser_v1 --project
  market connect vscode --print`,
    )
    .action(
      verb(async (assistant: Assistant, agent: string | undefined, _options, command: Command) => {
        const options = command.optsWithGlobals<ConnectOptions>();
        return connectAssistant(assistant, await serverOf(agent, options), options);
      }),
    );
}

async function serverOf(agent: string | undefined, options: ConnectOptions): Promise<Server> {
  const origin = apiAddress(options);
  const agentId = agent === undefined ? undefined : await findAgent(connect(options), agent);
  const { name = agentId?.replace(/^agt_/, '').slice(0, 64) ?? 'market' } = options;
  if (!NAME.test(name)) throw usageFailure('--name has 1 to 64 letters, digits, - and _');
  return { name, url: agentId === undefined ? `${origin}/mcp` : `${origin}/mcp/a/${agentId}` };
}

function connectAssistant(assistant: Assistant, server: Server, options: ConnectOptions): VerbResult {
  const { project = false, print = false, replace = false } = options;
  const place = { platform: process.platform, home: homedir(), cwd: process.cwd(), env: process.env };
  const config = configOf(assistant, server, place, project);
  if (!config) return { text: stepsOf(assistant, server), json: { assistant, ...server, file: null } };
  const merged = mergedConfig(config, server, replace);
  const { file, change } = merged;
  if (print)
    return {
      text: `${file}:\n${merged.text.trimEnd()}`,
      json: { assistant, ...server, file, written: false },
    };
  const backup = writeConfig(merged) ?? null;
  const done = change === 'same' ? `${file} has this server already.` : `Wrote ${file}.`;
  const kept = backup === null ? [] : [`The file before is ${backup}.`];
  return {
    text: [done, ...kept, NEXT_STEP[assistant]].join('\n'),
    json: { assistant, ...server, file, written: change !== 'same', backup },
  };
}
