import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import type { MarketApi } from '../api-client';
import { verb, type VerbResult } from '../command-line';
import { connect, findAgent, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import { fieldsText, recordResult } from '../terminal/pages';
import { addList } from '../row-verbs';
import { LISTS } from '../rows/lists';

type Webhook = Schema<'Webhook'>;

type Delivery = Schema<'WebhookDelivery'>;

interface CreateOptions extends GlobalOptions {
  type: string[];
  agent?: string;
}

const PATH = '/v1/webhooks';
const hookPath = (webhookId: string) => `${PATH}/${encodeURIComponent(webhookId)}`;

/** `market webhooks …` (docs/webhooks.md). */
export function webhookVerbs(program: Command): void {
  const webhooks = program.command('webhooks').description('manages your webhooks and their deliveries');
  addCreate(webhooks);
  addList(webhooks, 'list', LISTS['webhooks list']);
  addMoves(webhooks);
  addRotate(webhooks);
  addList(webhooks, 'deliveries', LISTS['webhooks deliveries']);
  addRedeliver(webhooks);
}

function addCreate(webhooks: Command): void {
  webhooks
    .command('create')
    .argument('<url>', 'HTTPS URL on a public host')
    .requiredOption('--type <types...>', 'such as invocation.succeeded, dispute.opened, payout.completed')
    .option('--agent <agent>', 'send only events of this agent (id or slug)')
    .description('creates a webhook and prints its secret once')
    .addHelpText(
      'after',
      `
Only the secret is written to standard output.

Example:
  market webhooks create https://example.com/hooks --type payout.completed payout.failed`,
    )
    .action(
      verb(async (url: string, _options, command: Command) => {
        const options = command.optsWithGlobals<CreateOptions>();
        const api = connect(options);
        const agent = options.agent && { agent_id: await findAgent(api, options.agent) };
        const body = { url, types: options.type, ...agent };
        return issued(await api.call<Webhook & { secret: string }>('POST', PATH, body), options);
      }),
    );
}

/** Adds the verbs whose only argument is the webhook. */
function addMoves(webhooks: Command): void {
  const add = (
    name: string,
    description: string,
    move: (api: MarketApi, webhookId: string) => Promise<VerbResult>,
  ) =>
    webhooks
      .command(name)
      .argument('<webhook>', 'webhook id, whk_…')
      .description(description)
      .addHelpText('after', `\nExample:\n  market webhooks ${name} whk_…`)
      .action(
        verb((webhookId: string, _options, command: Command) =>
          move(connect(command.optsWithGlobals<GlobalOptions>()), webhookId),
        ),
      );
  const setEnabled = (enabled: boolean) => async (api: MarketApi, webhookId: string) =>
    recordResult(await api.call<Webhook>('PATCH', hookPath(webhookId), { enabled }));

  add('trigger', 'sends an event of type webhook.test', async (api, webhookId) =>
    delivered(await api.call<Delivery>('POST', `${hookPath(webhookId)}/test`)),
  ).alias('test');
  add('enable', 'enables a webhook; it receives events from now on', setEnabled(true));
  add('disable', 'disables a webhook until it is enabled again', setEnabled(false));
  add('delete', 'deletes a webhook and its pending deliveries', async (api, webhookId) => {
    await api.call('DELETE', hookPath(webhookId));
    return { text: `Deleted ${webhookId}.`, json: { webhook_id: webhookId, deleted: true } };
  });
}

function addRotate(webhooks: Command): void {
  webhooks
    .command('rotate-secret')
    .argument('<webhook>', 'webhook id, whk_…')
    .option('--grace-seconds <seconds>', 'how long the old secret also signs; default: one day')
    .description('replaces the secret of a webhook and prints it once')
    .addHelpText('after', '\nExample:\n  market webhooks rotate-secret whk_… --grace-seconds 3600')
    .action(
      verb(async (webhookId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { graceSeconds?: string }>();
        const { graceSeconds } = options;
        if (graceSeconds !== undefined && !/^\d{1,10}$/.test(graceSeconds))
          throw usageFailure(`--grace-seconds must be a whole number, not ${graceSeconds}`);
        const body = graceSeconds === undefined ? {} : { grace_seconds: Number(graceSeconds) };
        const path = `${hookPath(webhookId)}/rotate-secret`;
        return issued(await connect(options).call<Webhook & { secret: string }>('POST', path, body), options);
      }),
    );
}

function addRedeliver(webhooks: Command): void {
  webhooks
    .command('redeliver')
    .argument('<webhook>', 'webhook id, whk_…')
    .argument('<delivery>', 'delivery id, whd_…')
    .description('sends an event again at once')
    .addHelpText('after', '\nExample:\n  market webhooks redeliver whk_… whd_…')
    .action(
      verb(async (webhookId: string, deliveryId: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        const path = `${hookPath(webhookId)}/deliveries/${encodeURIComponent(deliveryId)}/redeliver`;
        return delivered(await api.call<Delivery>('POST', path));
      }),
    );
}

function delivered(delivery: Delivery): VerbResult {
  return { text: `${delivery.delivery_id} is ${delivery.status}.`, json: delivery };
}

/** Prints the secret alone on standard output and the other fields on standard error. */
function issued({ secret, ...rest }: Webhook & { secret: string }, options: GlobalOptions): VerbResult {
  if (!options.json) process.stderr.write(`${fieldsText(rest)}\n`);
  return { text: secret, json: { ...rest, secret } };
}
