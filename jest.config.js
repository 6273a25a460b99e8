'use strict';

/**
 * Projects: unit tests stand beside their file and need nothing; integration, workflow and e2e get one Postgres cluster
 * and one Temporal server that all workers, and all jest runs of this clone, share. All but arch get one copy of
 * packages and sources per worker (test/support/README.md).
 */
const swc = (ignoreDynamic) => [
  '@swc/jest',
  {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022', keepClassNames: true },
    module: { type: 'commonjs', ignoreDynamic },
    sourceMaps: 'inline',
  },
];
const transform = { '^.+\\.[cm]?[jt]s$': swc(true) };
/** The reference of the command line is made of every verb, which the groups import when they are needed. */
const wholeCommand = {
  transform: { '/src/cli/(verb|database)-groups\\.ts$': swc(false), ...transform },
  moduleNameMapper: { '^(\\./verbs/.+)\\.js$': '$1' },
};

// ESM-only packages: Node loads them by require, jest has to translate them.
const esmOnly = ['jose', 'openid-client', 'oauth4webapi', 'json-schema-faker', 'uuidv7', '@noble', '@scure', 'structured-headers'];

const base = {
  rootDir: __dirname,
  roots: ['<rootDir>/src', '<rootDir>/ops', '<rootDir>/test'],
  testEnvironment: 'node',
  transform,
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`, '<rootDir>/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.market'],
  runtime: '<rootDir>/test/support/jest/file-runtime.js',
};

/** Fake timers and module mocks need the vm context and the module registry that jest makes for a file. */
const ownRealm = ['<rootDir>/src/engine/enrolment.test.ts'];

const inProcess = {
  runtime: '<rootDir>/test/support/jest/process-runtime.js',
  testEnvironment: '<rootDir>/test/support/jest/process-environment.js',
};

const stack = {
  ...inProcess,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

const whole = require('./test/support/jest/whole-files').map((file) => `<rootDir>/${file}`);
/** `.ci/run` runs these files whole, right after the others, and not a part of them as well (ADR 0239). */
const runLater = process.env.WHOLE_FILES_FOLLOW && !process.env.LONG_TESTS ? whole : [];

const folder = (name, extra) => ({
  ...base,
  ...extra,
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  testPathIgnorePatterns: runLater,
});

const long = { ...folder('long', stack), testMatch: ['<rootDir>/test/long/**/*.test.ts', ...whole] };

module.exports = {
  // Machines of CI are shared: there a test may take twice as long.
  testTimeout: process.env.CI ? 120_000 : 60_000,
  testSequencer: './test/support/jest/longest-first.js',
  reporters: [
    'default',
    './test/support/jest/progress-reporter.js',
    './test/support/jest/failed-files-reporter.js',
  ],
  // Tests wait as well as compute: four at once, where jest would choose one fewer than there are cores. Each process
  // loads the sources, keeps a market and compiles its hot code, which is 8 s of CPU, so more of them are slower.
  maxWorkers: Math.max(4, require('node:os').availableParallelism() - 1),
  projects: [
    {
      ...base,
      ...inProcess,
      displayName: 'unit',
      testMatch: ['<rootDir>/{src,ops}/**/*.test.ts'],
      testPathIgnorePatterns: [...ownRealm, ...runLater],
    },
    { ...base, displayName: 'unit', testMatch: ownRealm },
    folder('arch', wholeCommand),
    folder('integration', stack),
    folder('workflow', stack),
    folder('e2e', stack),
    // `npm run test:long`
    ...(process.env.LONG_TESTS ? [long] : []),
  ],
};
