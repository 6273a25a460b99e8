import type { Command } from 'commander';
import { ApiFailure, type MarketApi } from '../api-client';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import { readJsonArgument } from '../terminal/json-argument';
import { recordResult } from '../terminal/pages';
import { ask } from '../terminal/terminal-input';

type Call = Schema<'InvocationDetail'>;
type Question = Schema<'Question'>;
type AnswerOptions = GlobalOptions & { input?: string; field?: string[] };

/** `market invocations answer`: what the agent of a job asks. */
export function addInvocationAnswer(invocations: Command): void {
  invocations
    .command('answer')
    .argument('<call>', 'call id, inv_…')
    .option('--input <json>', 'the answer as a JSON object: inline, @file, or - for standard input')
    .option(
      '--field <name=value>',
      'one field of the answer; repeat it for others',
      (one, all: string[] = []) => [...all, one],
    )
    .description('answers the question of an agent about a call that runs')
    .addHelpText(
      'after',
      `
Without --input and --field, each field of the question is asked at the terminal.

Examples:
  market invocations answer inv_…
  market invocations answer inv_… --field format=pdf --field pages=3`,
    )
    .action(
      verb(async (id: string, _options, command: Command) => {
        const options = command.optsWithGlobals<AnswerOptions>();
        const api = connect(options);
        const { job } = await api.call<Call>('GET', pathOf(id));
        if (!job?.question) throw usageFailure(`${id} asks nothing`);
        const given = await inputOf(job.question, options);
        if (given) return recordResult(await give(api, id, job.question, given));
        process.stderr.write(`The agent asks: ${oneLine(job.question.prompt)}\n`);
        return recordResult(await untilAccepted(api, id, job.question));
      }),
    );
}

/** Shows a question, and answers it from the terminal if there is one. */
export async function answerAtTerminal(api: MarketApi, id: string, question: Question): Promise<void> {
  process.stderr.write(`The agent asks: ${oneLine(question.prompt)}\n`);
  if (process.stdin.isTTY) await untilAccepted(api, id, question);
  else process.stderr.write(`Answer until ${question.expires_at}: market invocations answer ${id}\n`);
}

/** Asks for the fields again while the answer does not match the question. */
async function untilAccepted(api: MarketApi, id: string, question: Question): Promise<Call> {
  for (;;) {
    try {
      return await give(api, id, question, await prompted(question));
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.code !== 'validation_failed') throw error;
      for (const { loc, msg } of error.detail)
        process.stderr.write(`  ${oneLine(`${loc.slice(2).join('.')}: ${msg}`)}\n`);
    }
  }
}

const pathOf = (id: string) => `/v1/invocations/${encodeURIComponent(id)}`;

function give(api: MarketApi, id: string, { question_id }: Question, input: object): Promise<Call> {
  return api.call<Call>('POST', `${pathOf(id)}/input`, { question_id, input });
}

/** The answer that the options contain; undefined without one. */
async function inputOf(question: Question, { input, field }: AnswerOptions): Promise<object | undefined> {
  if (input !== undefined && field) throw usageFailure('pass --input or --field, not both');
  if (input !== undefined) return readJsonArgument(input, '--input');
  if (!field) return undefined;
  return Object.fromEntries(
    field.map((each) => {
      const at = each.indexOf('=');
      if (at < 1) throw usageFailure(`--field takes name=value, not ${each}`);
      const name = each.slice(0, at);
      return [name, valueOf(question, name, each.slice(at + 1))];
    }),
  );
}

/** Asks for each field. An empty line leaves out a field that is not required. */
async function prompted(question: Question): Promise<object> {
  const { properties, required = [] } = question.schema;
  const answer: [string, unknown][] = [];
  for (const [name, field] of Object.entries(properties)) {
    const choices = Array.isArray(field['enum']) ? ` (${field['enum'].join(', ')})` : '';
    const what = oneLine(`${field.title ?? name}${choices}${required.includes(name) ? '' : ', optional'}`);
    const text = await ask(what);
    if (text !== '' || required.includes(name)) answer.push([name, valueOf(question, name, text)]);
  }
  return Object.fromEntries(answer);
}

/** The text as a value of the field. What does not fit is sent as it is, and refused with a message. */
function valueOf({ schema }: Question, name: string, text: string): unknown {
  const type = Object.hasOwn(schema.properties, name) ? schema.properties[name]?.type : undefined;
  if (type === 'boolean')
    return { true: true, yes: true, y: true, false: false, no: false, n: false }[text] ?? text;
  const isNumber =
    (type === 'number' || type === 'integer') && text.trim() !== '' && !Number.isNaN(Number(text));
  return isNumber ? Number(text) : text;
}

/** Untrusted text without characters that move the cursor or change colours. */
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
