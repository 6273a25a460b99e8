'use strict';

const { readFileSync, writeFileSync } = require('node:fs');
const { join, relative, sep } = require('node:path');

/**
 * Order of the test files: longest first, so that no long file is left to one worker at the end. On a fresh clone jest
 * knows no durations and goes by file size, which puts short files of long tests last. The table is measured seconds:
 * `RECORD_DURATIONS=1 npm test` writes it anew. Files that it does not name come where files of their project usually
 * do.
 */
const TABLE = join(__dirname, 'durations.json');
const USUAL = { unit: 1, arch: 3, integration: 8, workflow: 15, e2e: 40 };

class LongestFirst {
  constructor() {
    this.seconds = JSON.parse(readFileSync(TABLE, 'utf8'));
  }

  shard(tests, { shardIndex, shardCount }) {
    return this.sort(tests).filter((_test, at) => at % shardCount === shardIndex - 1);
  }

  sort(tests) {
    return [...tests].sort((a, b) => this.expected(b) - this.expected(a) || (a.path < b.path ? -1 : 1));
  }

  /** Which files failed last is not kept: `--onlyFailures` runs all. */
  allFailedTests(tests) {
    return this.sort(tests);
  }

  cacheResults(_tests, { testResults }) {
    if (!process.env.RECORD_DURATIONS) return;
    const root = join(__dirname, '../../..');
    for (const { testFilePath, skipped, perfStats } of testResults) {
      const seconds = Math.ceil((perfStats.end - perfStats.start) / 1_000);
      if (!skipped) this.seconds[relative(root, testFilePath).replaceAll(sep, '/')] = seconds;
    }
    const rows = Object.entries(this.seconds).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    writeFileSync(TABLE, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
  }

  expected({ path, context: { config } }) {
    const name = relative(config.rootDir, path).replaceAll(sep, '/');
    return this.seconds[name] ?? USUAL[config.displayName?.name] ?? 1;
  }
}

module.exports = LongestFirst;
