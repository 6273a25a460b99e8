'use strict';

const { createRequire, isBuiltin } = require('node:module');
const { compileFunction, constants } = require('node:vm');
const { fromJest } = require('./from-jest');

const JestRuntime = fromJest('jest-runtime').default;

/** The engine's runtime is one per copy of the package, made for the first worker of a test file and ended with its last. */
const OWN_COPY = /^@temporalio\/(worker|testing)(\/|$)/;

/**
 * Each test file has its own copy of the sources, as always; packages are loaded once per process, by Node. Loading
 * them anew was most of what a short file took.
 */
class ProcessRuntime extends JestRuntime {
  constructor(...args) {
    super(...args);
    const { executor } = this;
    if (typeof executor?.compile !== 'function' || !Array.isArray(executor.injectedModuleParameters)) {
      throw new Error('this jest compiles modules in another way: test/support/jest/process-runtime.js');
    }
    executor.compile = (source, filename) =>
      compileFunction(source, executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
  }

  requireModule(from, moduleName, options, isRequireActual) {
    if (isPackage(moduleName) && !options?.isInternalModule && !OWN_COPY.test(moduleName)) {
      return requireFrom(from)(moduleName);
    }
    return super.requireModule(from, moduleName, options, isRequireActual);
  }
}

function isPackage(moduleName) {
  return moduleName !== undefined && /^[@a-z]/i.test(moduleName) && !isBuiltin(moduleName);
}

const requires = new Map();
function requireFrom(file) {
  const known = requires.get(file);
  if (known) return known;
  const made = createRequire(file);
  requires.set(file, made);
  return made;
}

module.exports = ProcessRuntime;
