import { pointsText, roundedPoints } from '../terminal/points';
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { completeManifest } from '../../domain/catalogue/manifest';
import type { JudgedStage } from '../../domain/verification/trust';
import { createBundleScanner } from '../../verification/bundles/bundle-scan';
import type { ScannedManifest } from '../../verification/bundles/completeness';
import { FIRST_RUBRIC } from '../../verification/scoring/first-rubric';
import { judgeBundle } from '../../verification/scoring/score';
import { defaultVerb, groupOf, type VerbResult, verb } from '../command-line';
import type { GlobalOptions } from '../connect';
import { EXIT } from '../failure';
import { problemText, readManifestFile } from '../packing/manifest-file';
import { packFolder } from '../packing/pack-folder';
import { meansLocalMarket } from './validate';

/** Advisories are records of a marketplace; a scan of a folder has none. */
const NO_ADVISORIES = {
  covered: () => Promise.resolve(new Map<never, never>()),
  lookup: () => Promise.resolve([]),
};

/** `market verify folder <folder>`: the stages static analysis and supply chain, before publishing. */
export function folderVerbs(program: Command): void {
  const verify = groupOf(program, 'verify').description('scans an agent folder as verification will');
  defaultVerb(verify, 'folder', existsSync)
    .argument('[folder]', 'an agent folder with manifest.json', '.')
    .description('scans an agent folder as verification will: static analysis and supply chain')
    .addHelpText(
      'after',
      `
Works offline, with the code of the marketplace. Advisories are not looked up: the marketplace does that.
Exit 0: no high or critical finding; 1: some, or the manifest has problems; 2: the folder cannot be read.

Examples:
  market verify
  market verify my-agent --json`,
    )
    .action(
      verb((folder: string, _options, command: Command) =>
        verifyFolder(folder, command.optsWithGlobals<GlobalOptions>()),
      ),
    );
}

async function verifyFolder(path: string, options: GlobalOptions): Promise<VerbResult> {
  const read = await readManifestFile(path, { local: meansLocalMarket(options) });
  const { file, folder, manifest } = read;
  // The address need not exist before the agent is deployed.
  const problems = read.problems.filter((problem) => problem.path !== 'endpoint.url');
  if (problems.length > 0)
    return {
      text: problemText(file, problems),
      json: { file, valid: false, problems },
      exitCode: EXIT.refused,
    };
  const { bytes } = await packFolder(folder);
  const request = {
    bundle: bytes,
    manifest: completeManifest(manifest, textOf(manifest['author'])) as ScannedManifest,
    advisories: NO_ADVISORIES,
    developer: 'me',
  };
  const evidence = await createBundleScanner().scan(request, new AbortController().signal);
  const stages = judgeBundle(evidence, FIRST_RUBRIC);
  const isGrave = Object.values(stages).some(({ findings }) =>
    findings.some(({ severity }) => severity === 'critical' || severity === 'high'),
  );
  return {
    text: Object.entries(stages).map(toText).join('\n\n'),
    json: { file, rubric_version: FIRST_RUBRIC.version, stages },
    exitCode: isGrave ? EXIT.refused : EXIT.done,
  };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function toText([name, { score, max, findings, checks }]: [string, JudgedStage]): string {
  const missing = Object.entries(checks).filter(([, { coverage }]) => coverage < 1);
  return [
    `${name.replace('_', ' ')}: ${roundedPoints(score)} of ${max} points`,
    ...findings.flatMap((finding) => [
      `  ${finding.severity}: ${finding.description}`,
      `    risk: ${finding.risk}`,
      `    fix: ${finding.remediation}`,
      `    costs: ${pointsText(finding.points_lost)}`,
    ]),
    ...missing.map(([check, { gaps }]) => `  not examined: ${check.replace('_', ' ')} (${gaps.join(', ')})`),
  ].join('\n');
}
