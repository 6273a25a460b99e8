'use strict';

const Module = require('node:module');
const { dirname, join, resolve, sep } = require('node:path');
const { setImmediate } = require('node:timers');
const { compileFunction, constants } = require('node:vm');
const FileRuntime = require('./file-runtime');

const ROOT = resolve(__dirname, '../../..');
const SHARED_FOLDERS = [join(ROOT, 'src') + sep, join(ROOT, 'test/support') + sep];

/** Source maps of every file that this process has compiled, for stack traces. */
const sourceMaps = new Map();
/** The transformer of the current test file; jest caches its results on disk. */
let transformer;

/**
 * Node loads packages, `src/` and `test/support/` once for each process; jest loads only the test files. Loading the
 * sources for each file was most of the time of a short file, and a market that outlives its file (kept-market.ts)
 * cannot belong to that file's copy of the sources.
 */
class ProcessRuntime extends FileRuntime {
  constructor(...args) {
    super(...args);
    const { executor, transformCache } = this;
    if (typeof executor?.compile !== 'function' || !Array.isArray(executor.injectedModuleParameters)) {
      throw new Error('this jest compiles modules in another way: test/support/jest/process-runtime.js');
    }
    if (typeof transformCache?.transform !== 'function' || !(transformCache.sourceMaps instanceof Map)) {
      throw new Error('this jest transforms modules in another way: test/support/jest/process-runtime.js');
    }
    executor.compile = (source, filename) =>
      compileFunction(source, executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
    transformCache.sourceMaps = sourceMaps;
    transformer = transformCache;
    Module._extensions['.ts'] = compileTypeScript;
    exitWhenJestIsDone();
  }

  requireModule(from, moduleName, options, isRequireActual) {
    if (isPackage(moduleName) || (!options?.isInternalModule && isShared(from, moduleName))) {
      return requireFrom(from)(moduleName);
    }
    return super.requireModule(from, moduleName, options, isRequireActual);
  }
}

function isPackage(moduleName) {
  return moduleName !== undefined && /^[@a-z]/i.test(moduleName) && !Module.isBuiltin(moduleName);
}

function isShared(from, moduleName) {
  if (!moduleName?.startsWith('.')) return false;
  const path = resolve(dirname(from), moduleName);
  return SHARED_FOLDERS.some((folder) => path.startsWith(folder));
}

/** How Node loads a `.ts` file. */
function compileTypeScript(module, filename) {
  module._compile(transformer.transform(filename), filename);
}

/** First element of the message that ends a worker process of jest. */
const CHILD_MESSAGE_END = 2;
let listening = false;
/** A kept market would keep the process running; jest kills a worker that has not exited after half a second. */
function exitWhenJestIsDone() {
  if (listening || !process.send) return;
  listening = true;
  process.on('message', (message) => {
    if (Array.isArray(message) && message[0] === CHILD_MESSAGE_END) setImmediate(() => process.exit(0));
  });
}

const requires = new Map();
function requireFrom(file) {
  const known = requires.get(file);
  if (known) return known;
  const made = Module.createRequire(file);
  requires.set(file, made);
  return made;
}

module.exports = ProcessRuntime;
