import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb, type VerbResult } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { saveVerb } from '../terminal/save-file';
import { ask, readStandardInput } from '../terminal/terminal-input';
import { addList } from '../row-verbs';

const EXPORTS = '/v1/account/exports';
const DELETE = '/v1/account/delete';

interface DeleteOptions extends GlobalOptions {
  status?: boolean;
  withdraw?: boolean;
  confirm?: string;
  forfeitCredits?: boolean;
  passwordStdin?: boolean;
  totp?: string;
}

/** `market account …`: exports and the deletion of your account (docs/leaving.md). */
export function leavingVerbs(program: Command): void {
  const account = program.command('account').description('exports and deletes your account');
  addExports(account);
  account
    .command('delete')
    .description('requests the deletion of your account; a mail asks for the confirmation after 14 days')
    .option('--status', 'print what blocks it, and the deletion that is requested')
    .option('--withdraw', 'withdraw the deletion')
    .option('--confirm <token>', 'confirm the deletion with the token of the mail')
    .option('--forfeit-credits', 'give up the credits that are left in the wallet')
    .option('--password-stdin', 'read the password from standard input instead of prompting')
    .option('--totp <code>', 'a code of your authenticator app')
    .addHelpText('after', '\nExamples:\n  market account delete --status\n  market account delete --withdraw')
    .action(verb((_options, command: Command) => deleteAccount(command.optsWithGlobals<DeleteOptions>())));
}

function addExports(account: Command): void {
  account
    .command('export')
    .description('requests an archive of everything that your account has stored')
    .addHelpText('after', '\nExample:\n  market account export')
    .action(
      verb(async (_options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals());
        const asked = await api.call<Schema<'AccountExport'>>('POST', '/v1/account/export');
        const text = `The archive ${asked.export_id} is being written. A mail reports when it is ready.`;
        return { text, json: asked };
      }),
    );
  addList<Schema<'AccountExport'>>(account, 'exports', {
    about: 'lists your exports, newest first',
    examples: ['market account exports'],
    path: EXPORTS,
    login: true,
    columns: { export: 'export_id', status: 'status', bytes: 'bytes', rows: 'rows', until: 'expires_at' },
  });
  account
    .command('download')
    .argument('<export>', 'the id of the export')
    .option('--out <file>', 'the file to write; default: <export>.zip')
    .description('downloads the archive of an export')
    .addHelpText('after', '\nExample:\n  market account download exp_… --out archive.zip')
    .action(
      verb((id: string, options: { out?: string }, command: Command) => {
        const path = `${EXPORTS}/${encodeURIComponent(id)}/archive.zip`;
        return saveVerb(connectPerson(command.optsWithGlobals()), path, options.out ?? `${id}.zip`);
      }),
    );
}

async function deleteAccount(options: DeleteOptions): Promise<VerbResult> {
  const api = connectPerson(options);
  if (options.confirm !== undefined) {
    const confirmed = await api.call<Schema<'AccountDeletion'>>('POST', `${DELETE}/confirm`, {
      token: options.confirm,
    });
    return { text: 'The deletion is confirmed. It begins when nothing blocks it.', json: confirmed };
  }
  if (options.withdraw) {
    await api.call('DELETE', DELETE);
    return { text: 'The deletion is withdrawn.', json: { withdrawn: true } };
  }
  if (options.status) return described(await api.call<Schema<'GetDeletionResponse'>>('GET', DELETE));
  const password = options.passwordStdin
    ? (await readStandardInput()).replace(/\r?\n$/, '')
    : await ask('Password', { hidden: true });
  const requested = await api.call<Schema<'AccountDeletion'>>('POST', DELETE, {
    password,
    ...(options.totp && { totp_code: options.totp }),
    ...(options.forfeitCredits && { forfeit_credits: true }),
  });
  const day = requested.confirm_from.slice(0, 10);
  return {
    text: `The deletion of ${requested.user_id} is requested. On ${day} a mail asks for the confirmation.`,
    json: requested,
  };
}

function described(standing: Schema<'GetDeletionResponse'>): VerbResult {
  const { deletion, blocked_by: blocks } = standing;
  const lines = [
    deletion ? `Deletion ${deletion.deletion_id}: ${deletion.status}` : 'No deletion is requested.',
    ...blocks.map(({ message }) => `Blocked: ${message}`),
  ];
  return { text: lines.join('\n'), json: standing };
}
