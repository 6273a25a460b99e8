import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from './sources.mjs';

/** If more files than this fail, the cause is a change and not the timing of a busy machine. */
const MOST_FILES = 20;
/** The first is the run of all files. */
const TRIES = 3;
const failedFiles = join(tmpdir(), `market-failed-files-${process.pid}.json`);

/**
 * Runs jest; in CI, runs the files that failed again, up to twice, one after another with the machine to themselves.
 * Machines of CI are shared, and a busy neighbour breaks timing. A file that fails each time fails. What failed and
 * then passed is listed in the report as `passedWhenRepeated`. `runJest(args)` and this
 * function return jest's exit code.
 */
export async function runWithTriesInCi(runJest, args, say) {
  if (!process.env.CI) return runJest(args);
  process.env.FAILED_FILES = failedFiles;
  try {
    let code = await runJest(args);
    for (let attempt = 2; attempt <= TRIES; attempt += 1) {
      const failed = takeFailedFiles();
      if (code === 0 || failed.length === 0 || failed.length > MOST_FILES) return code;
      say(
        `  ${failed.length} test files failed. They run again, one at a time:\n    ${failed.join('\n    ')}`,
      );
      code = await runAgain(runJest, failed, reportOf(args));
    }
    return code;
  } finally {
    rmSync(failedFiles, { force: true });
  }
}

/** The files run in jest's own process, which has to end even if a test leaves a timer or a socket open. */
async function runAgain(runJest, files, report) {
  const again = report && `${report}.again`;
  const json = again ? ['--json', `--outputFile=${again}`] : [];
  const code = await runJest(['--ci', '-i', '--forceExit', ...json, '--runTestsByPath', ...files]);
  if (again) mergeReports(report, again);
  return code;
}

function takeFailedFiles() {
  if (!existsSync(failedFiles)) return [];
  const files = JSON.parse(readFileSync(failedFiles, 'utf8'));
  rmSync(failedFiles);
  return files;
}

function reportOf(args) {
  return args.find((arg) => arg.startsWith('--outputFile='))?.slice('--outputFile='.length);
}

/** The names of the tests of a file that failed, or of the file if it could not be run. */
function failuresOf({ name, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  const file = relative(root, name);
  return failed.length > 0 ? failed.map(({ fullName }) => `${file}: ${fullName}`) : [file];
}

/** Puts the results of a later run in the place of those of the runs before. */
function mergeReports(path, laterPath) {
  if (!existsSync(path) || !existsSync(laterPath)) return;
  const first = JSON.parse(readFileSync(path, 'utf8'));
  const later = JSON.parse(readFileSync(laterPath, 'utf8'));
  rmSync(laterPath);
  const again = new Map(later.testResults.map((file) => [file.name, file]));
  const mended = first.testResults.filter(({ name }) => again.get(name)?.status === 'passed');
  const testResults = first.testResults.map((file) => again.get(file.name) ?? file);
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (status) => tests.filter((test) => test.status === status).length;
  const merged = {
    ...first,
    testResults,
    passedWhenRepeated: [...(first.passedWhenRepeated ?? []), ...mended.flatMap(failuresOf)],
    success: later.success,
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numRuntimeErrorTestSuites: later.numRuntimeErrorTestSuites,
    numTotalTests: tests.length,
  };
  writeFileSync(path, JSON.stringify(merged));
}
