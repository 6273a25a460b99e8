import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import type { MarketApi } from '../api-client';
import { verb, type VerbResult } from '../command-line';
import { connect, findAgent, type GlobalOptions } from '../connect';
import { CliFailure, EXIT } from '../failure';
import { forTerminal } from '../terminal/terminal-text';
import { explained, parseMaxCost, type Usage, usageText } from './invoke';

interface ChatOptions extends GlobalOptions {
  maxCost?: string;
  session?: string;
}

type ChatEvent =
  | { type: 'output_chunk'; chunk: string }
  | { type: 'usage'; usage: Usage }
  | {
      type: 'done';
      invocation_id: string;
      trace_id: string;
      usage: Usage;
      session_id: string;
      truncated?: true;
    }
  | {
      type: 'error';
      error: { code: string; message: string; retryable: boolean };
      trace_id?: string;
      invocation_id?: string;
    };

interface Message {
  role: 'user' | 'assistant';
  content: string;
}

interface Turn {
  output: string;
  usage: Usage;
  invocation_id: string;
  trace_id: string;
  session_id: string;
  /** True when the turn reached its maximum cost before the answer was complete. */
  truncated?: true;
}

/** `market chat`. */
export function chatVerbs(program: Command): void {
  program
    .command('chat')
    .argument('<agent>', 'agent id or slug')
    .argument('[message]', 'one turn; without it, each line of standard input is a turn')
    .description('chats with an agent and prints its answers as they arrive')
    .option('--max-cost <credits>', 'most credits that each turn may cost')
    .option('--session <id>', 'continues a chat session of yours')
    .addHelpText(
      'after',
      `
Ctrl-C ends the turn. It then costs what was delivered: nothing before the first piece of the answer.
A turn that reaches --max-cost ends there and costs that much.

Examples:
  market chat marathon-coach "How far is a marathon?"
  market chat marathon-coach --max-cost 5
  market chat marathon-coach "And half of it?" --session ses_… --json`,
    )
    .action(
      verb(async (agent: string, message: string | undefined, _options, command: Command) => {
        const options = command.optsWithGlobals<ChatOptions>();
        const maxCost = parseMaxCost(options.maxCost);
        const api = connect(options);
        const talk = conversation(api, await findAgent(api, agent), { ...options, maxCost });
        return message === undefined ? talkByLines(talk, options) : talkOnce(talk, message, options);
      }),
    );
}

type Conversation = (message: string, onChunk: (chunk: string) => void) => Promise<Turn>;

/** Keeps the messages of the conversation, so that each turn continues from the previous one. */
function conversation(
  api: MarketApi,
  agentId: string,
  options: { session?: string; maxCost: number | undefined },
): Conversation {
  const messages: Message[] = [];
  let session = options.session;
  return async (message, onChunk) => {
    const said: Message[] = [...messages, { role: 'user', content: message }];
    const body = {
      messages: said,
      ...(session && { session_id: session }),
      ...(options.maxCost !== undefined && { max_cost_credits: options.maxCost }),
    };
    const turn = await explained(api, agentId, () =>
      readTurn(api, `/v1/agents/${agentId}/chat`, body, onChunk),
    );
    session = turn.session_id;
    messages.splice(0, Infinity, ...said, { role: 'assistant', content: turn.output });
    return turn;
  };
}

async function readTurn(
  api: MarketApi,
  path: string,
  body: object,
  onChunk: (chunk: string) => void,
): Promise<Turn> {
  const hangUp = new AbortController();
  const interrupt = () => hangUp.abort();
  process.once('SIGINT', interrupt);
  let output = '';
  try {
    for await (const event of api.stream<ChatEvent>(path, body, hangUp.signal)) {
      if (event.type === 'output_chunk') {
        output += event.chunk;
        onChunk(event.chunk);
      } else if (event.type === 'done') {
        const { type: _done, ...end } = event;
        return { output, ...end };
      } else if (event.type === 'error') {
        const { error, trace_id, invocation_id } = event;
        const exit = error.retryable ? EXIT.later : EXIT.refused;
        throw new CliFailure(error.message, exit, {
          code: error.code,
          retryable: error.retryable,
          trace_id,
          invocation_id,
        });
      }
    }
  } catch (error) {
    if (hangUp.signal.aborted)
      throw new CliFailure(
        output === '' ? 'cancelled; the turn costs nothing' : 'left; the turn costs what was delivered',
        EXIT.refused,
        { code: 'client_closed' },
      );
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
  }
  throw new CliFailure('the stream ended before the turn was complete: try again', EXIT.later, {
    code: 'stream_ended',
  });
}

/** The usage of a turn, and whether its answer was cut off. */
function endText(turn: Turn): string {
  return `${turn.truncated ? 'cut off at the maximum cost; ' : ''}${usageText(turn)}`;
}

async function talkOnce(talk: Conversation, message: string, { json }: ChatOptions): Promise<VerbResult> {
  const turn = await talk(message, (chunk) => void (json || process.stdout.write(forTerminal(chunk))));
  if (!json) process.stderr.write(`\n${endText(turn)}, ${turn.session_id}`);
  return { text: '', json: turn };
}

async function talkByLines(talk: Conversation, { json }: ChatOptions): Promise<VerbResult> {
  const turns: Turn[] = [];
  const isTerminal = Boolean(process.stdin.isTTY) && !json;
  const lines = createInterface({ input: process.stdin });
  const prompt = () => void (isTerminal && process.stderr.write('> '));
  prompt();
  for await (const line of lines) {
    if (line.trim() !== '') {
      const turn = await talk(line, (chunk) => void (json || process.stdout.write(forTerminal(chunk))));
      turns.push(turn);
      if (!json) {
        process.stdout.write('\n');
        process.stderr.write(`${endText(turn)}\n`);
      }
    }
    prompt();
  }
  const credits = turns.reduce((sum, { usage }) => sum + usage.credits_charged, 0);
  return {
    text: '',
    json: { session_id: turns.at(-1)?.session_id ?? null, credits_charged: credits, turns },
  };
}
