'use strict';

const { writeFileSync } = require('node:fs');

/** Writes the paths of the test files that failed to `FAILED_FILES`, so that tools/test.mjs can run them once more. */
class FailedFilesReporter {
  onRunComplete(_contexts, { testResults }) {
    const path = process.env.FAILED_FILES;
    if (!path) return;
    const failed = testResults.filter(
      ({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError,
    );
    writeFileSync(path, JSON.stringify(failed.map(({ testFilePath }) => testFilePath)));
  }

  getLastError() {
    return undefined;
  }
}

module.exports = FailedFilesReporter;
