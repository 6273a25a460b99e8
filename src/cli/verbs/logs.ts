import type { Command } from 'commander';
import { verb } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { type AccountEvent, followEvents, untilInterrupted } from '../follow-events';
import { oneLine } from '../terminal/terminal-text';
import { readCount } from './listen';
import { creditsText } from '../../domain/ledger/money';

interface TailOptions extends GlobalOptions {
  type?: string[];
  count?: string;
}

/** `market logs …`: what happens in your account, as it happens. */
export function logVerbs(program: Command): void {
  program
    .command('logs')
    .description('shows what happens in your account')
    .command('tail')
    .option('--type <types...>', 'such as invocation.failed; without it, every type')
    .option('--count <number>', 'ends after so many events')
    .description('prints your calls and events as they happen')
    .addHelpText(
      'after',
      `
Calls appear when they have ended: yours, and those of your agents. --json prints one event per line. Ctrl-C ends it.

Examples:
  market logs tail
  market logs tail --type invocation.failed dispute.opened
  market logs tail --json`,
    )
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<TailOptions>();
        const most = readCount(options.count);
        const { signal, end } = untilInterrupted();
        const note = (text: string) => void process.stderr.write(`${oneLine(text)}\n`);
        let shown = 0;
        const onReady = (isComplete: boolean) =>
          note(isComplete ? 'waiting for events' : 'connected again; events may be missing');
        const onLost = (reason: string) => note(`the connection is lost: ${reason}; connecting again`);
        const following = { types: options.type ?? [], signal, onReady, onLost };
        for await (const event of followEvents(connect(options), following)) {
          process.stdout.write(options.json ? `${JSON.stringify(event)}\n` : `${eventLine(event)}\n`);
          shown += 1;
          if (shown === most) break;
        }
        end();
        return { text: `Showed ${shown} events.`, json: undefined };
      }),
    );
}

/** One line: time, type, and what people look for in an event of this kind. */
function eventLine({ timestamp, type, data }: AccountEvent): string {
  const usage = data['usage'] as { credits_charged: number; duration_ms: number } | undefined;
  const ids = [data['invocation_id'], data['agent_id'], data['error_code']];
  const facts = usage
    ? [...ids.filter(isPlain), creditsText(usage.credits_charged), `${usage.duration_ms} ms`]
    : Object.entries(data).flatMap(([name, value]) => (isPlain(value) ? [`${name}=${value}`] : []));
  return oneLine(`${timestamp}  ${type}  ${facts.join('  ')}`);
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
