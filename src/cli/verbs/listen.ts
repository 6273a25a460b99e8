import type { Command } from 'commander';
import { isSigningSecret, newSigningSecret, signWebhook } from '../../kit/crypto/webhook-signature';
import { groupOf, verb } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import { type AccountEvent, followEvents, untilInterrupted } from '../follow-events';
import { type Forwarded, forwardTo } from '../forward';
import { oneLine } from '../terminal/terminal-text';
import { parsedUrl } from '../../kit/parsed-url';

interface ListenOptions extends GlobalOptions {
  forwardTo: string;
  type?: string[];
  secret?: string;
  count?: string;
}

/** `market webhooks listen`: webhooks for an address that only this machine reaches. */
export function listenVerbs(program: Command): void {
  groupOf(program, 'webhooks')
    .command('listen')
    .requiredOption('--forward-to <url>', 'address of your receiver, such as http://localhost:3000/hooks')
    .option('--type <types...>', 'such as invocation.succeeded; without it, every type')
    .option('--secret <secret>', 'signs with this secret, whsec_…; without it, with a new one')
    .option('--count <number>', 'ends after so many events')
    .description('sends your events to an address of this machine, signed as a webhook is')
    .addHelpText(
      'after',
      `
The events come over the stream of your account, so no public address is needed. Requests follow Standard Webhooks;
the secret that signs them is printed first. An event is sent once: a receiver that fails is shown, not tried again.
Ctrl-C ends it. The session or API key needs the scope webhooks:manage.

Examples:
  market webhooks listen --forward-to http://localhost:3000/hooks
  market webhooks listen --forward-to http://localhost:3000/hooks --type invocation.failed --json`,
    )
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<ListenOptions>();
        const receiver = addressOf(options.forwardTo);
        if (options.secret !== undefined && !isSigningSecret(options.secret))
          throw usageFailure('--secret must be whsec_ followed by base64 of at least 16 bytes');
        const most = readCount(options.count);
        const secret = options.secret ?? newSigningSecret();
        if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) throw usageFailure('--secret must begin with whsec_');
        const { signal, end } = untilInterrupted();
        const line = lineWriter(options);
        let forwarded = 0;
        const onReady = (isComplete: boolean) => line.ready(secret, receiver, isComplete);
        for await (const event of followEvents(connect(options), {
          types: options.type ?? [],
          signal,
          onReady,
          onLost: line.lost,
        })) {
          line.event(event, await deliver(receiver, secret, event));
          forwarded += 1;
          if (forwarded === most) break;
        }
        end();
        return { text: `Sent ${forwarded} events.`, json: undefined };
      }),
    );
}

function deliver(receiver: string, secret: string, { id, ...body }: AccountEvent): Promise<Forwarded> {
  const bytes = Buffer.from(JSON.stringify(body));
  return forwardTo(receiver, signWebhook(secret, id, Math.floor(Date.now() / 1000), bytes), bytes);
}

function lineWriter({ json }: ListenOptions) {
  let isFirst = true;
  const note = (text: string) => process.stderr.write(`${oneLine(text)}\n`);
  return {
    ready(secret: string, receiver: string, isComplete: boolean): void {
      if (isFirst && json) process.stdout.write(`${JSON.stringify({ secret, forward_to: receiver })}\n`);
      else if (isFirst) process.stdout.write(`secret: ${secret}\nforwarding to ${receiver}\n`);
      else note(isComplete ? 'connected again' : 'connected again; events may be missing');
      isFirst = false;
    },
    lost: (reason: string) => note(`the connection is lost: ${reason}; connecting again`),
    event(event: AccountEvent, sent: Forwarded): void {
      if (json) {
        const outcome =
          'status' in sent ? { status: sent.status, error: null } : { status: null, error: sent.error };
        const line = { id: event.id, type: event.type, ...outcome, duration_ms: sent.durationMs };
        process.stdout.write(`${JSON.stringify(line)}\n`);
        return;
      }
      const outcome = 'status' in sent ? String(sent.status) : sent.error;
      process.stdout.write(
        `${oneLine(`${event.timestamp}  ${outcome}  ${event.type}  ${event.id}  ${sent.durationMs} ms`)}\n`,
      );
    },
  };
}

function addressOf(text: string): string {
  const url = parsedUrl(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  throw usageFailure(`--forward-to must be an address such as http://localhost:3000/hooks, not ${text}`);
}

/** Reads `--count`. Throws `CliFailure` (exit 2) for anything but a positive whole number. */
export function readCount(text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,8}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw usageFailure(`--count must be a whole number above 0, not ${text}`);
}
