/** Code quality heuristics (specification, "Trust report": code-quality heuristics). */
import type { QualityFacts } from '../../domain/evidence/evidence-facts';
import type { BundleFiles } from './bundle-files';
import { createCodeSearch } from './code-search';
import type { SourceFile } from './source-file';
import { isToolFile, startsWherePackagesAre } from '../data/tool-file-rules';
import { cut, gapsOf } from '../packages/supply-chain';

const LICENCE_FILE = /(?:^|\/)(?:licen[cs]e|copying|unlicense)(?:[.-][^/]{0,200})?$/i;
const README_FILE = /(?:^|\/)readme(?:\.[^/]{0,200})?$/i;
const TEST_FILE =
  /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.[^/]{1,200}$|(?:^|\/)test_[^/]{1,200}\.py$|_test\.(?:py|go)$/i;
export type QualityScan = (files: BundleFiles) => QualityFacts;

export function createQualityScan(): QualityScan {
  const searchCode = createCodeSearch();
  return (files) => {
    const source = files.texts.filter(({ isSource, isForeign }) => isSource && !isForeign);
    const written = source.filter(({ isGenerated }) => !isGenerated);
    const lines = written.map(({ text }) => countLines(text));
    const calls = [...files.texts.filter(isSearched).flatMap(searchCode), ...files.binaries];
    return {
      coverage: {
        wanted: Math.max(source.length, 1),
        looked: written.length,
        gaps: gapsOf({
          no_source: source.length === 0 ? 1 : 0,
          generated_files: source.length - written.length,
        }),
      },
      files: files.count,
      sourceFiles: source.length,
      sourceBytes: source.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
      sourceLines: lines.reduce((sum, count) => sum + count, 0),
      testFiles: source.filter(({ path }) => TEST_FILE.test(path)).length,
      longestFileLines: Math.max(0, ...lines),
      minifiedFiles: source.length - written.length,
      hasReadme: files.paths.some((path) => README_FILE.test(path)),
      hasLicence: files.paths.some((path) => LICENCE_FILE.test(path)),
      dangerousCalls: cut(calls),
    };
  };
}

/** Source, and what a tool reads. Tools do not read the files of packages, but Python its path files. */
function isSearched({ path, isSource, isForeign, isBinary }: SourceFile): boolean {
  if (isSource) return true;
  return isBinary !== true && isToolFile(path) && (!isForeign || startsWherePackagesAre(path));
}

function countLines(text: string): number {
  let lines = text.endsWith('\n') || text === '' ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
