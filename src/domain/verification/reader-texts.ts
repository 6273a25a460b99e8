/**
 * Words of reports for their readers. Judgements are stored, so their texts stay as they were judged; a report is
 * signed when it is read, with the words that its reader can use.
 */
import { type ToolTests, toolTestsText } from '../catalogue/tools/tool-tests';
import { GAP_TEXTS } from './gap-texts';
import type { Ceiling, Examined } from './trust';

const OF_THE_MARKETPLACE: Readonly<Record<string, string>> = {
  [GAP_TEXTS.no_advisories.remedy]:
    'The marketplace has to load the advisories; nothing is required of the developer.',
};

/** What only the developer can do is said as such to everybody else. */
const OF_THE_DEVELOPER: Readonly<Record<string, string>> = {
  [GAP_TEXTS.no_bundle.remedy]: 'The developer can publish the source with the manifest.',
  [GAP_TEXTS.ownership_unproven.remedy]: 'The developer can prove that the host is theirs.',
  [GAP_TEXTS.unsupported_lockfile.remedy]: 'The developer can add a lockfile in a supported format.',
  [GAP_TEXTS.too_many_packages.remedy]: 'The developer can publish the lockfile of the agent alone.',
};

/** The words of a report for its reader. */
export function readerTexts<R extends { ceiling: Ceiling; summary: string }>(report: R, isOwner: boolean): R {
  const words = Object.entries(isOwner ? OF_THE_MARKETPLACE : { ...OF_THE_MARKETPLACE, ...OF_THE_DEVELOPER });
  const forReader = (text: string) => words.reduce((said, [old, now]) => said.replaceAll(old, now), text);
  return {
    ...report,
    summary: forReader(report.summary),
    ceiling: {
      ...report.ceiling,
      reasons: report.ceiling.reasons.map((reason) => ({ ...reason, remedy: forReader(reason.remedy) })),
    },
  };
}

/** Says what was examined of the behaviour of an agent, for the summary of a report and beside the badge. */
export function examinedText({ checked, right }: Examined, tools?: ToolTests): string {
  const answers =
    checked === 0
      ? 'no answer checked'
      : `${checked} ${checked === 1 ? 'answer' : 'answers'} checked, ${right} right`;
  return tools ? `${answers}; ${toolTestsText(tools)}` : answers;
}
