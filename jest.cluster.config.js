'use strict';

/** `npm run test:cluster`: the production topology under load. Some minutes, so `npm test` leaves it out. */
const { projects, testTimeout } = require('./jest.config.js');

const integration = projects.find(({ displayName }) => displayName === 'integration');
// It starts a Postgres of its own, so the one that other tests share is not needed.
const alone = { globalSetup: undefined, globalTeardown: undefined };

module.exports = {
  testTimeout: 10 * testTimeout,
  maxWorkers: 1,
  projects: [
    { ...integration, ...alone, displayName: 'cluster', testMatch: ['<rootDir>/test/cluster/**/*.test.ts'] },
  ],
};
