'use strict';

const { createRequire } = require('node:module');

/** A package that jest brings along, found from where jest stands. */
exports.fromJest = (name) =>
  createRequire(createRequire(require.resolve('jest')).resolve('@jest/core'))(name);
