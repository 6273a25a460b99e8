'use strict';

const { appendFileSync } = require('node:fs');
const { fromJest } = require('./from-jest');

const { ModuleMocker } = fromJest('jest-mock');

/** What circus keeps on the global object for one test file. */
const KEPT_FOR_A_FILE =
  /^(EVENT_HANDLERS|JEST_STATE_SYMBOL|TEST_TIMEOUT_SYMBOL|RETRY_.*|WAIT_BEFORE_RETRY|LOG_ERRORS_BEFORE_RETRY)$/;

/**
 * Tests run in the realm of their process, as the product does, and not in a vm context of their own: there each use
 * of a global name is a call through jest's proxy, and nothing of `node_modules` can be loaded once for all files.
 * Fake timers are not offered: they would stop jest itself.
 */
class ProcessEnvironment {
  constructor(_config, { testPath }) {
    this.global = globalThis;
    this.testPath = testPath;
    this.cpuBefore = process.cpuUsage();
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = null;
    this.fakeTimersModern = null;
    this.before = {
      console: globalThis.console,
      exit: process.exit,
      env: { ...process.env },
      rejectionListeners: process.listeners('unhandledRejection'),
    };
  }

  async setup() {}

  async teardown() {
    this.writeCpu();
    for (const key of Object.getOwnPropertySymbols(globalThis)) {
      if (KEPT_FOR_A_FILE.test(key.description ?? '')) delete globalThis[key];
    }
    globalThis.console = this.before.console;
    process.exit = this.before.exit;
    // The file's own copy of the engine's worker has left one.
    for (const listener of process.listeners('unhandledRejection')) {
      if (!this.before.rejectionListeners.includes(listener)) process.off('unhandledRejection', listener);
    }
    for (const name of Object.keys(process.env)) if (!(name in this.before.env)) delete process.env[name];
    Object.assign(process.env, this.before.env);
    this.moduleMocker.clearMocksOnScope(globalThis);
  }

  /** `TEST_CPU_LOG=<file> npm test` adds a line for each test file: the CPU seconds of its process, and its path. */
  writeCpu() {
    const log = process.env.TEST_CPU_LOG;
    if (!log) return;
    const { user, system } = process.cpuUsage(this.cpuBefore);
    appendFileSync(log, `${((user + system) / 1e6).toFixed(2)}\t${this.testPath}\n`);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Never used: process-runtime.js compiles in the realm of the process. */
  getVmContext() {
    return {};
  }
}

module.exports = ProcessEnvironment;
