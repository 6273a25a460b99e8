'use strict';

const asyncHooks = require('node:async_hooks');
const { fromJest } = require('./from-jest');

const JestRuntime = fromJest('jest-runtime').default;

/**
 * Disables the async local storages of a test file at its end. Node copies the value of every enabled storage to every
 * promise that is made, and jest-circus enables one for each file: after eighty files, that took a sixth of
 * the processor time of its processes.
 */
class FileRuntime extends JestRuntime {
  constructor(...args) {
    super(...args);
    const { coreModule } = this;
    if (typeof coreModule?.require !== 'function') {
      throw new Error('this jest loads modules of Node in another way: test/support/jest/file-runtime.js');
    }
    const storages = [];
    this.storages = storages;
    class AsyncLocalStorage extends asyncHooks.AsyncLocalStorage {
      constructor(...options) {
        super(...options);
        storages.push(this);
      }
    }
    const hooks = { ...asyncHooks, AsyncLocalStorage };
    const load = coreModule.require.bind(coreModule);
    coreModule.require = (name) => (name.endsWith('async_hooks') ? hooks : load(name));
  }

  teardown() {
    super.teardown();
    for (const storage of this.storages) storage.disable();
  }
}

module.exports = FileRuntime;
