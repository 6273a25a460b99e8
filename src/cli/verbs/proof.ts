import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { unitsToCredits } from '../../domain/ledger/money';
import type { MarketApi } from '../api-client';
import { verb, type VerbResult } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import {
  type KeptDays,
  type Keys,
  type LogDay,
  problemsOfLog,
  problemsOfProof,
  problemsSince,
  type Proof,
  type ProofFile,
} from '../proof/log-check';
import type { Page } from '../terminal/pages';
import { oneLine, tableText } from '../terminal/terminal-text';

const FILE = 'balance-proof.json';

/** `market proof …` and `market log …`: what the marketplace owes, checked without trust in it. */
export function proofVerbs(program: Command): void {
  const proof = program.command('proof').description('proves that your balances are part of what is owed');
  proof
    .command('save')
    .description('saves the proof of your balances, with the log and the keys, to verify it offline')
    .option('--output <file>', 'file to write', FILE)
    .addHelpText('after', '\nExample:\n  market proof save --output proof.json')
    .action(
      verb(async ({ output }: { output: string }, command: Command) => {
        const saved = await fetchProof(connect(command.optsWithGlobals<GlobalOptions>()));
        writeFileSync(output, `${JSON.stringify(saved, null, 2)}\n`, { mode: 0o600 });
        const text = `Saved the proof of ${saved.proof.day}, with ${saved.log.length} days of the log, to ${output}.`;
        return { text, json: { file: output, day: saved.proof.day, days: saved.log.length } };
      }),
    );
  proof
    .command('verify')
    .argument('[file]', 'what market proof save has written; without it, the proof is fetched')
    .description(
      'verifies a proof: the seals and the chain of the log, its sums, and your paths to its roots',
    )
    .addHelpText('after', '\nExamples:\n  market proof verify\n  market proof verify proof.json')
    .action(
      verb(async (file: string | undefined, _options, command: Command) => {
        const found =
          file === undefined
            ? await fetchProof(connect(command.optsWithGlobals<GlobalOptions>()))
            : readJson<ProofFile>(file);
        return verdictOf(found);
      }),
    );
  addWatch(program);
}

function addWatch(program: Command): void {
  program
    .command('log')
    .description('the log of what the marketplace owes')
    .command('watch')
    .description('compares the log with what it said before, and finds replaced and dropped days')
    .option('--keep <file>', 'what the log said; made at first', 'market-log-kept.json')
    .option('--every <seconds>', 'goes on, and looks again so often; without it, looks once')
    .addHelpText(
      'after',
      `
Exit 0: the log continues what it said before; 1: it does not, and the file stays as it was. Run it daily, and keep the file apart
from the marketplace.

Examples:
  market log watch --keep log.json
  market log watch --every 3600`,
    )
    .action(
      verb(async ({ keep, every }: { keep: string; every?: string }, command: Command) => {
        if (every !== undefined && !/^[1-9][0-9]{0,5}$/.test(every))
          throw usageFailure(`--every must be a number of seconds from 1 to 999999, not ${every}`);
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        let result = await look(api, keep);
        while (every !== undefined && result.exitCode === 0) {
          await sleep(Number(every) * 1_000);
          result = await look(api, keep);
        }
        return result;
      }),
    );
}

async function look(api: MarketApi, keep: string): Promise<VerbResult> {
  const kept = existsSync(keep) ? readJson<KeptDays>(keep) : {};
  const [log, keys] = [await fetchLog(api), await fetchKeys(api)];
  const problems = [...problemsSince(kept, log), ...problemsOfLog(log, keys)];
  if (problems.length > 0) return failed(problems);
  const days = Object.fromEntries(log.map(({ day, statement_sha256 }) => [day, statement_sha256]));
  writeFileSync(keep, `${JSON.stringify(days, null, 2)}\n`);
  const fresh = log.length - Object.keys(kept).length;
  return {
    text: `The log continues what it said before: ${log.length} days, ${fresh} of them new.`,
    json: { problems, days: log.length, fresh },
    exitCode: 0,
  };
}

function verdictOf({ proof, log, keys }: ProofFile): VerbResult {
  const problems = [...problemsOfLog(log, keys), ...problemsOfProof(proof, log)];
  if (problems.length > 0) return failed(problems);
  const balances = proof.balances.map(({ kind, units }) => [kind, unitsToCredits(units).toFixed(2)]);
  const own =
    balances.length > 0 ? tableText([['balance', 'credits'], ...balances]) : 'You had no credits then.';
  const text = `${own}\nThey are in what the log says was owed at the end of ${proof.day} (${log.length} days verified).`;
  return { text, json: { problems, day: proof.day, balances: proof.balances.length }, exitCode: 0 };
}

function failed(problems: string[]): VerbResult {
  return {
    text: problems.map((each) => `FAIL  ${oneLine(each)}`).join('\n'),
    json: { problems },
    exitCode: 1,
  };
}

async function fetchProof(api: MarketApi): Promise<ProofFile> {
  // A day that is published meanwhile is in the log, which is fetched later.
  const proof = await api.call<Proof>('GET', '/v1/billing/proof');
  return { proof, log: await fetchLog(api), keys: await fetchKeys(api) };
}

async function fetchLog(api: MarketApi): Promise<LogDay[]> {
  const log: LogDay[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page<LogDay> = await api.call('GET', `/.well-known/market-log?limit=100${after}`);
    log.push(...page.items);
    cursor = page.next_cursor;
  }
  return log;
}

async function fetchKeys(api: MarketApi): Promise<Keys> {
  return (await api.call<{ keys: Keys }>('GET', '/.well-known/jwks.json')).keys;
}

function readJson<T>(file: string): T {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (error) {
    if (error instanceof SyntaxError) throw usageFailure(`${file} is not JSON`);
    throw error;
  }
}
