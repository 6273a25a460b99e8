import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import type { MarketApi } from '../api-client';
import { verb } from '../command-line';
import { connect, findAgent, type GlobalOptions } from '../connect';
import { CliFailure, EXIT, usageFailure } from '../failure';
import { readJsonArgument } from '../terminal/json-argument';
import { forTerminal } from '../terminal/terminal-text';
import { cancelable } from './cancelable';
import { untilEnded } from './wait-for-invocation';
import { creditsText } from '../../domain/ledger/money';

interface InvokeOptions extends GlobalOptions {
  maxCost?: string;
  idempotencyKey?: string;
  quote?: string;
  accept?: string;
  example?: boolean;
  detach?: boolean;
  tag?: string[];
}

export type Usage = Schema<'Usage'>;

type Answer = Schema<'InvocationResult'>;
type Call = Schema<'InvocationDetail'>;

/** `market invoke`. */
export function invokeVerbs(program: Command): void {
  program
    .command('invoke')
    .argument('<agent>', 'agent id or slug')
    .argument('[input]', 'a JSON object, @file, or - for standard input')
    .description('calls an agent, pays for its answer and prints it')
    .option('--max-cost <credits>', 'most credits that the call may cost')
    .option('--idempotency-key <key>', 'identifies the call, so that repeating it is never charged twice')
    .option('--quote <quote>', 'the offer of "market quote" for this input, quo_…')
    .option(
      '--accept <tests>',
      'tests that the answer must pass to be paid: a file, or JSON (docs: acceptance)',
    )
    .option('--tag <pairs...>', 'metadata of the call, such as project=atlas, by which you find and sum it')
    .option('--example', "use the agent's first example input")
    .option('--detach', 'print the id of the call as soon as it runs, instead of waiting for its output')
    .addHelpText(
      'after',
      `
The output goes to standard output, the usage to standard error; --json prints the whole response of the API.
A job is awaited until its end, however long it takes. Ctrl-C asks whether to cancel it, and else leaves it running;
--detach begins it and leaves.

Examples:
  market invoke unit-converter '{"quantity": "26.2 mi", "to": "km"}'
  market invoke csv-profiler @input.json --max-cost 5 --tag project=atlas customer=42
  market invoke unit-converter --example --json
  market invocations wait $(market invoke unit-converter --example --detach)`,
    )
    .action(
      verb(async (agent: string, input: string | undefined, _options, command: Command) => {
        const options = command.optsWithGlobals<InvokeOptions>();
        const maxCost = parseMaxCost(options.maxCost);
        if (options.example ? input !== undefined : input === undefined)
          throw usageFailure('pass either an input or --example');
        const accept = options.accept === undefined ? undefined : await readTests(options.accept);
        const given = input === undefined ? undefined : await readJsonArgument(input, 'the input');
        const api = connect(options);
        const agentId = await findAgent(api, agent);
        const body = {
          input: given ?? (await exampleOf(api, agentId)),
          ...(maxCost !== undefined && { max_cost_credits: maxCost }),
          ...(options.quote && { quote_id: options.quote }),
          ...(options.idempotencyKey && { idempotency_key: options.idempotencyKey }),
          ...(accept !== undefined && { accept }),
          ...(options.tag && { metadata: metadataOf(options.tag) }),
        };
        const send = <T>(headers: Record<string, string> = {}) =>
          api.call<T>('POST', `/v1/agents/${agentId}/invoke`, body, headers);
        if (options.detach) {
          const begin = () => send<Call | Answer>({ Prefer: 'respond-async' });
          const call = await explained(api, agentId, begin);
          return { text: call.invocation_id, json: call };
        }
        const answer = await explained(api, agentId, async () => settled(api, await send<Call | Answer>()));
        if (!options.json) process.stderr.write(`${usageText(answer)}\n`);
        const { output } = answer;
        const text = typeof output === 'string' ? output : JSON.stringify(output, null, 2);
        return { text: forTerminal(text), json: answer };
      }),
    );
}

/** The answer of a call. A job that outlives the response is awaited; its failure is that of the call. */
async function settled(api: MarketApi, answer: Call | Answer): Promise<Answer> {
  if (!('status' in answer)) return answer;
  const { invocation_id: id } = answer;
  const after = process.stdin.isTTY ? 'Ctrl-C asks whether to cancel it' : 'which goes on after Ctrl-C';
  process.stderr.write(`${id} is a job, ${after}: market invocations wait or cancel ${id}\n`);
  const { status, error, usage, output, ...call } = await cancelable(api, id, () =>
    untilEnded(api, id, Infinity),
  );
  if (status === 'succeeded' && usage) return { ...call, output, usage };
  const code = error?.code ?? 'already_disputed';
  const message = error?.message ?? 'The call was disputed while it ran.';
  const json = { error: message, code, invocation_id: id, trace_id: call.trace_id };
  throw new CliFailure(message, error?.retryable ? EXIT.later : EXIT.refused, json);
}

/**
 * Makes a call. Its failure names the agent in the next step, and says after how long it failed and what it cost, from
 * the record of the call.
 */
export async function explained<T>(api: MarketApi, agentId: string, call: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    const { invocation_id: id } = error.json;
    const cost = typeof id === 'string' && (await costOf(api, id));
    const next = error.json['code'] === 'input_schema_mismatch' && `market listings show ${agentId}`;
    const message = cost ? `${sentence(error.message)} After ${seconds} s; ${cost}; ${id}` : error.message;
    throw new CliFailure(message, error.exitCode, { ...error.json, ...(next && { next }) });
  }
}

/** The words of an agent may end without a stop. */
const sentence = (text: string) => (/[.!?…]$/u.test(text) ? text : `${text}.`);

/** What a failed call cost; undefined while it goes on, or if its record cannot be read. */
async function costOf(api: MarketApi, id: string): Promise<string | undefined> {
  const call = await api
    .call<Schema<'InvocationDetail'>>('GET', `/v1/invocations/${id}`)
    .catch(() => undefined);
  if (call?.status !== 'failed') return undefined;
  const credits = call.usage?.credits_charged ?? 0;
  return credits === 0 ? 'nothing was charged' : `${creditsText(credits)} charged`;
}

/** Formats the usage of a call, such as `3 credits, 41 ms, inv_…`. */
export function usageText({ usage, invocation_id }: { usage: Usage; invocation_id: string }): string {
  const credits = creditsText(usage.credits_charged);
  return `${credits}, ${usage.duration_ms} ms, ${invocation_id}`;
}

/**
 * Parses `--max-cost` in whole credits; undefined if it is not given. Throws `CliFailure` (exit 2) for anything else.
 */
export function parseMaxCost(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw usageFailure(`--max-cost must be a whole number of credits, not ${text}`);
}

/** The tests of `--accept`: JSON, or a file of it. Throws `CliFailure` (exit 2) for anything else. */
function readTests(text: string): Promise<object> {
  const isJson = text.trimStart().startsWith('{');
  return readJsonArgument(isJson || text === '-' || text.startsWith('@') ? text : `@${text}`, 'the tests');
}

/** The pairs of `--tag`. Throws `CliFailure` (exit 2) for text without `=`. */
export function metadataOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw usageFailure(`--tag takes pairs such as project=atlas, not ${pair}`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** The first example input of an agent. Throws `CliFailure` if it has none. */
export async function exampleOf(api: MarketApi, agentId: string): Promise<unknown> {
  const { examples } = await api.call<{ examples: unknown[] }>('GET', `/v1/listings/${agentId}`);
  if (examples.length > 0) return examples[0];
  throw new CliFailure(`${agentId} has no example input: pass an input`);
}
