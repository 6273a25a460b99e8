import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import { fieldsText, recordResult } from '../terminal/pages';
import { addList } from '../row-verbs';
import { limitBody, type LimitOptions, withLimits } from './key-limits';
import { LISTS } from '../rows/lists';

type ApiKey = Schema<'ApiKey'>;

interface CreateOptions extends GlobalOptions, LimitOptions {
  name: string;
  scope: string[];
  expiresAt?: string;
}

interface RotateOptions extends GlobalOptions {
  graceSeconds?: string;
}

const PATH = '/v1/keys';
const keyPath = (keyId: string) => `${PATH}/${encodeURIComponent(keyId)}`;

/** `market api-keys …`: the keys that programs send as `X-API-Key` (docs/keys-and-limits.md). */
export function apiKeyVerbs(program: Command): void {
  const keys = program.command('api-keys').description('manages your API keys');
  addCreate(keys);
  addList(keys, 'list', LISTS['api-keys list']);
  addChange(keys);
  addRotate(keys);
  addDelete(keys);
}

function addCreate(keys: Command): void {
  withLimits(
    keys
      .command('create')
      .requiredOption('--name <name>', 'label of the key')
      .requiredOption(
        '--scope <scopes...>',
        'agents:invoke, agents:publish, agents:read, billing:read, disputes:write, webhooks:manage',
      )
      .option('--expires-at <time>', 'expiry, ISO 8601'),
  )
    .description('creates a key and prints it once')
    .addHelpText(
      'after',
      `
Only the key is written to standard output, so that it can be piped to a secret store.

Examples:
  market api-keys create --name "build server" --scope agents:publish agents:read
  market api-keys create --name app --scope agents:invoke --credit-cap 500 --expires-at 2027-01-01T00:00:00Z --json
  market api-keys create --name nightly --scope agents:invoke --credit-cap 20 --window day --min-trust 75`,
    )
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<CreateOptions>();
        const key = await connectPerson(options).call<ApiKey & { key: string }>('POST', PATH, {
          name: options.name,
          scopes: options.scope,
          ...limitBody(options),
          ...(options.expiresAt !== undefined && { expires_at: options.expiresAt }),
        });
        return issued(key, options);
      }),
    );
}

function addChange(keys: Command): void {
  withLimits(
    keys.command('change').argument('<key>', 'key id, key_…').option('--name <name>', 'another label'),
  )
    .description('changes the name and the limits of a key')
    .addHelpText('after', '\nExample:\n  market api-keys change key_… --credit-cap 800 --window month')
    .action(
      verb(async (keyId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<Partial<CreateOptions> & GlobalOptions>();
        const { name } = options;
        const body = { ...(name !== undefined && { name }), ...limitBody(options) };
        if (Object.keys(body).length === 0) throw usageFailure('give --name or a limit');
        return recordResult(await connectPerson(options).call<ApiKey>('PATCH', keyPath(keyId), body));
      }),
    );
}

function addRotate(keys: Command): void {
  keys
    .command('rotate')
    .argument('<key>', 'key id, key_…')
    .option('--grace-seconds <seconds>', 'how long the old secret stays valid; default 0')
    .description('replaces the secret of a key and prints it once')
    .addHelpText('after', '\nExample:\n  market api-keys rotate key_… --grace-seconds 3600')
    .action(
      verb(async (keyId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<RotateOptions>();
        const { graceSeconds } = options;
        const body =
          graceSeconds === undefined ? {} : { grace_seconds: wholeNumber('--grace-seconds', graceSeconds) };
        const path = `${keyPath(keyId)}/rotate`;
        return issued(
          await connectPerson(options).call<ApiKey & { key: string }>('POST', path, body),
          options,
        );
      }),
    );
}

function addDelete(keys: Command): void {
  keys
    .command('delete')
    .alias('revoke')
    .argument('<key>', 'key id, key_…')
    .description('deletes a key; the next request with it is refused')
    .addHelpText('after', '\nExample:\n  market api-keys delete key_…')
    .action(
      verb(async (keyId: string, _options, command: Command) => {
        await connectPerson(command.optsWithGlobals<GlobalOptions>()).call('DELETE', keyPath(keyId));
        return { text: `Deleted ${keyId}.`, json: { key_id: keyId, deleted: true } };
      }),
    );
}

/** Prints the secret alone on standard output and the other fields on standard error. */
function issued({ key, ...rest }: ApiKey & { key: string }, options: GlobalOptions) {
  if (!options.json) process.stderr.write(`${fieldsText(rest)}\n`);
  return { text: key, json: { ...rest, key } };
}

/** A whole number of an option. */
export function wholeNumber(option: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw usageFailure(`${option} must be a whole number, not ${text}`);
}
