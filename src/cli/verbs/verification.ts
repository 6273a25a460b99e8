import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Rubric } from '../../domain/verification/rubric';
import { type AgentUnderRubrics, compareRubrics, replayRun } from '../../services/verification/rescoring';
import type { Db } from '../../stores/db';
import { readRubric } from '../../stores/verification/rubrics';
import { FIRST_RUBRIC, toRubric } from '../../verification/scoring/first-rubric';
import { groupOf, verb } from '../command-line';
import { withDatabase } from '../database';

/** `market verify replay` and `market rubric …`: scoring the evidence of finished runs again, on the database. */
export function verificationVerbs(program: Command): void {
  groupOf(program, 'verify')
    .command('replay')
    .argument('<run>', 'verification run id, ver_…')
    .description('scores the stored evidence of a run again; the report must be identical, byte for byte')
    .addHelpText(
      'after',
      '\nExit 0: the reports are identical; 1: they differ.\n\nExample:\n  market verify replay ver_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
    )
    .action(
      verb(async (runId: string) => {
        const replay = await withDatabase('verify replay', (pool) => replayRun(pool, runId));
        const isSame = replay.same_evidence && replay.same_report;
        const of = `${replay.agent_id}, rubric ${replay.rubric_version}, ${replay.score} points`;
        const result = isSame
          ? 'the report is identical'
          : replay.same_evidence
            ? 'THE REPORT DIFFERS although the evidence is the same'
            : 'THE EVIDENCE HAS CHANGED since it was scored';
        return { text: `${of}: ${result}.`, json: replay, exitCode: isSame ? 0 : 1 };
      }),
    );

  const rubric = program.command('rubric').description('compares rubrics');

  rubric
    .command('diff')
    .argument('<from>', 'a rubric version, or a file with a rubric document')
    .argument('<to>', 'a rubric version, or a file with a rubric document')
    .description('shows the changes between two rubrics, and the agents whose score or badge would change')
    .addHelpText(
      'after',
      '\nRead-only. Badges are shown without the bond cap.\n\nExamples:\n  market rubric diff 2026.1 2026.2\n  market rubric diff 2026.1 proposal.json --json',
    )
    .action(
      verb(async (from: string, to: string) => {
        const result = await withDatabase('rubric diff', async (pool) =>
          compareRubrics(pool, await rubricOf(pool, from), await rubricOf(pool, to)),
        );
        return { text: toText(result), json: result };
      }),
    );
}

/** Loads a rubric by version or from a file. Throws `Error` if the version does not exist. */
async function rubricOf(db: Db, name: string): Promise<Rubric> {
  if (/^[0-9]{4}\.[0-9]+$/.test(name)) {
    const known = await readRubric(db, name);
    if (known) return known.document;
    if (name === FIRST_RUBRIC.version) return FIRST_RUBRIC;
    throw new Error(`rubric ${name} does not exist`);
  }
  return toRubric(JSON.parse(readFileSync(name, 'utf8')));
}

function toText({ changes, rescored, agents }: Awaited<ReturnType<typeof compareRubrics>>): string {
  const values = changes.map(({ path, from, to }) => `  ${path}: ${from ?? 'none'} → ${to ?? 'none'}`);
  return [
    changes.length === 0 ? 'The rubrics are identical.' : `${changes.length} changes:`,
    ...values,
    `${agents.length} of ${rescored} agents would change${agents.length === 0 ? '.' : ':'}`,
    ...agents.map(toLine),
  ].join('\n');
}

function toLine({ agent_id, from, to }: AgentUnderRubrics): string {
  return `  ${agent_id}: ${from.score} ${from.badge ?? 'no badge'} → ${to.score} ${to.badge ?? 'no badge'}`;
}
