'use strict';

const { clearInterval, setInterval } = require('node:timers');

const EVERY_MS = 15_000;

/** Where no terminal shows how far jest is: a line every 15 seconds, so that nobody thinks that it hangs. */
class ProgressReporter {
  onRunStart({ numTotalTestSuites: files }) {
    if (process.stderr.isTTY) return;
    const startedAt = Date.now();
    this.ended = 0;
    this.timer = setInterval(() => {
      const seconds = Math.round((Date.now() - startedAt) / 1_000);
      process.stderr.write(`  … tests        ${this.ended} of ${files} files, ${seconds} s\n`);
    }, EVERY_MS);
    this.timer.unref();
  }

  onTestResult() {
    this.ended += 1;
  }

  onRunComplete() {
    clearInterval(this.timer);
  }

  getLastError() {
    return undefined;
  }
}

module.exports = ProgressReporter;
