import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A change that breaks more files than this is no matter of timing. */
const MOST_FILES = 20;
const failedFiles = join(tmpdir(), `market-failed-files-${process.pid}.json`);

/**
 * Runs jest; in CI, runs the files that failed once more, one after another with the machine to themselves. Machines of
 * CI are shared, and a busy neighbour breaks timing. A file that fails twice fails. `runJest(args)` answers jest's exit
 * code; so does this.
 */
export async function runTwiceInCi(runJest, args, say) {
  if (!process.env.CI) return runJest(args);
  process.env.FAILED_FILES = failedFiles;
  try {
    const code = await runJest(args);
    const failed = takeFailedFiles();
    if (code === 0 || failed.length === 0 || failed.length > MOST_FILES) return code;
    say(
      `  ${failed.length} test files failed. They run once more, one at a time:\n    ${failed.join('\n    ')}`,
    );
    const report = reportOf(args);
    const again = report && `${report}.again`;
    const json = again ? ['--json', `--outputFile=${again}`] : [];
    const secondCode = await runJest(['--ci', '-i', ...json, '--runTestsByPath', ...failed]);
    if (again) mergeReports(report, again);
    return secondCode;
  } finally {
    rmSync(failedFiles, { force: true });
  }
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

/** Puts the results of the second run in the place of those of the first. */
function mergeReports(path, secondPath) {
  if (!existsSync(path) || !existsSync(secondPath)) return;
  const first = JSON.parse(readFileSync(path, 'utf8'));
  const second = JSON.parse(readFileSync(secondPath, 'utf8'));
  rmSync(secondPath);
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  const testResults = first.testResults.map((file) => again.get(file.name) ?? file);
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (status) => tests.filter((test) => test.status === status).length;
  const merged = {
    ...first,
    testResults,
    success: second.success,
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numRuntimeErrorTestSuites: second.numRuntimeErrorTestSuites,
    numTotalTests: tests.length,
  };
  writeFileSync(path, JSON.stringify(merged));
}
