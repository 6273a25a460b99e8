import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';
import { house } from './tools/lib/house-rules.mjs';
import { syntaxOfTests, WAITS_OF_TESTS } from './tools/lib/test-selectors.mjs';

/** Only src/egress may call untrusted servers (docs/adr); it checks and pins every address. */
const OUTSIDE_EGRESS = 'Only src/egress may call other servers.';
const CLIENT_PACKAGES = [
  ...['undici', 'axios', 'got', 'ky', 'needle', 'node-fetch', 'cross-fetch', 'superagent', 'request', 'ws'],
  ...['@modelcontextprotocol/client', '@a2a-js/sdk/client'],
];
const HTTP_MODULES = ['node:http', 'http', 'node:https', 'https', 'node:http2', 'http2'];
const dynamicClients = [...CLIENT_PACKAGES, ...HTTP_MODULES]
  .map((name) => name.replaceAll('/', '\\/'))
  .join('|');

/** It refuses URLs with letters such as `ü` in Node 20 once it was called often (src/kit/parsed-url.ts). */
const CAN_PARSE = {
  selector:
    ':matches(MemberExpression[property.name="canParse"], MemberExpression[property.value="canParse"], ObjectPattern > Property[key.name="canParse"])',
  message: 'URL.canParse is wrong in Node 20: use parsedUrl of src/kit, or new URL in try.',
};

const ANY_SIGNAL = 'MemberExpression[object.name="AbortSignal"][property.name="any"]';

const restrictedSyntax = [
  CAN_PARSE,
  { selector: ANY_SIGNAL, message: 'Node forgets a timer among the signals: use anySignal of src/kit.' },
  { selector: 'TSEnumDeclaration', message: 'Use an `as const` object.' },
  { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file itself.' },
  { selector: 'TSInterfaceDeclaration[id.name=/^I[A-Z][a-z]/]', message: 'Interfaces have no I in front.' },
];

/** An error event of a connection without a listener ends the process. */
const CONNECTIONS = {
  selector:
    'ImportDeclaration[source.value="pg"][importKind!="type"] > ImportSpecifier[importKind!="type"][imported.name=/^(Pool|Client)$/]',
  message: 'Open connections by openPool (src/stores/db.ts) or ExactClient (src/stores/stored-time.ts).',
};

const ONE_WORD = {
  selector:
    ':matches(FunctionDeclaration[id.name=/^(take(?!Over|n)|lead(?!ing))/], Property[key.name=/^(take(?!Over|n)|lead(?!ing))/][value.type=/Function/], TSMethodSignature[key.name=/^(take(?!Over|n)|lead(?!ing))/])',
  message: 'See docs/glossary.md: claim, acquire, consume, collect or use for take; drive for lead.',
};

const inSource = [
  CONNECTIONS,
  ONE_WORD,
  { selector: 'ExportDefaultDeclaration', message: 'Exports have names.' },
  {
    selector: 'IfStatement[test.left.property.name="size"] CallExpression[callee.property.name="clear"]',
    message: 'A map that is cleared when it is full forgets everything at once: use BoundedMap.',
  },
  {
    selector:
      'CallExpression[callee.object.name="Promise"][callee.property.name="race"] CallExpression[callee.name="sleep"]',
    message: 'The timer outlives the race: use withTimeout.',
  },
  {
    selector:
      'TryStatement:has(CallExpression[callee.property.name="race"]) CallExpression[callee.name="clearTimeout"]',
    message: 'Use withTimeout.',
  },
];
const outsideEgress = [
  { selector: `ImportExpression > Literal[value=/^(${dynamicClients})$/]`, message: OUTSIDE_EGRESS },
];
const TIME_IN_SQL = 'Compute with stored times in SQL: a Date loses their microseconds.';
/** A Date made of another time, which would go into a statement rounded. */
const ROUNDED_TIMES = [
  {
    selector: 'NewExpression[callee.name="Date"] CallExpression[callee.property.name="getTime"]',
    message: TIME_IN_SQL,
  },
  {
    selector:
      'CallExpression[callee.property.name="query"] CallExpression[callee.property.name=/^(toISOString|getTime|toJSON)$/]',
    message: TIME_IN_SQL,
  },
];

export default tseslint.config(
  {
    ignores: [
      '**/{dist,.temp}/',
      'coverage/',
      'node_modules/',
      '.market*/',
      'examples/**/data/',
      'packages/client/src/api-types.d.ts',
      'packages/cli/templates/',
    ],
  },
  eslint.configs.recommended,
  {
    plugins: { house },
    languageOptions: {
      ecmaVersion: 2024,
      globals: { process: 'readonly', console: 'readonly', Buffer: 'readonly', URL: 'readonly' },
    },
    rules: {
      'house/kebab-case-file': 'error',
      'house/comment-width': 'error',
      'no-restricted-syntax': ['error', CAN_PARSE],
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 70 }],
      eqeqeq: 'error',
      'no-template-curly-in-string': 'error',
    },
  },
  {
    files: ['**/*.{js,cjs}'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { module: 'writable', require: 'readonly', __dirname: 'readonly', exports: 'writable' },
    },
  },
  // these texts are code for other programs, in which `${…}` is theirs
  {
    files: [
      'console/src/features/listings/assistants.ts',
      'src/verification/probes/leak-detectors.test.ts',
      'test/arch/dashboards.test.ts',
      'test/corpora/**',
    ],
    rules: { 'no-template-curly-in-string': 'off' },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
      },
    },
  },
  {
    files: ['**/*.ts'],
    ignores: ['console/**', 'packages/**'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      'no-restricted-syntax': ['error', ...restrictedSyntax],
      // services are objects of functions that do not use `this`, so methods can be passed unbound
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // adapters implement asynchronous interfaces even when they have nothing to await
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['console/**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: './console/tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'max-lines': ['error', { max: 150 }],
      'max-lines-per-function': ['error', { max: 150 }],
      'no-restricted-syntax': ['error', ...restrictedSyntax],
      'house/plain-english': 'error',
      'house/written-text': 'error',
      // TanStack Router redirects by throwing what it returns, and event handlers may be asynchronous
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['{src,ops}/**/*.ts'],
    rules: {
      'house/formatted-code': 'error',
      'no-restricted-syntax': ['error', ...restrictedSyntax, ...inSource],
    },
  },
  {
    files: ['{src,ops,test,bench,tools,packages}/**/*.{ts,mjs}'],
    // The rule lists the words, and the corpora contain text of agents.
    ignores: ['tools/lib/house-rules.mjs', 'test/corpora/**', 'packages/**/*.ts'],
    rules: { 'house/plain-english': 'error' },
  },
  {
    files: ['src/**/*.ts'],
    // Exceptions: the local stack calls its own API and checks whether the internet is reachable for downloads; the
    // `market` command calls the API of the marketplace and the agent that `market dev` started; the metrics server
    // reads the port of the Temporal SDK in its process.
    ignores: [
      'src/egress/**',
      'src/cli/api-client.ts',
      'src/cli/forward.ts',
      'src/cli/dev/{callback-relay,front}.ts',
      'src/runtime/demonstration/api-client.ts',
      'src/runtime/temporal/temporal-install.ts',
      'src/workers/sdk-metrics.ts',
      'src/**/*.test.ts',
    ],
    rules: {
      'no-restricted-syntax': ['error', ...restrictedSyntax, ...inSource, ...outsideEgress],
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: OUTSIDE_EGRESS },
        { name: 'WebSocket', message: OUTSIDE_EGRESS },
        { name: 'EventSource', message: OUTSIDE_EGRESS },
        { name: 'XMLHttpRequest', message: OUTSIDE_EGRESS },
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            ...CLIENT_PACKAGES.map((name) => ({ name, message: OUTSIDE_EGRESS })),
            ...HTTP_MODULES.map((name) => ({
              name,
              importNames: ['request', 'get', 'connect', 'Agent', 'ClientRequest', 'globalAgent', 'default'],
              message: OUTSIDE_EGRESS,
            })),
          ],
        },
      ],
      'no-restricted-properties': [
        'error',
        ...['http', 'https'].flatMap((object) => [
          { object, property: 'request', message: OUTSIDE_EGRESS },
          { object, property: 'get', message: OUTSIDE_EGRESS },
        ]),
        { object: 'globalThis', property: 'fetch', message: OUTSIDE_EGRESS },
        { object: 'global', property: 'fetch', message: OUTSIDE_EGRESS },
        { object: 'process', property: 'getBuiltinModule', message: OUTSIDE_EGRESS },
      ],
    },
  },
  {
    // Stored times have microseconds; what Date computes or writes of them has milliseconds
    // (src/stores/stored-time.ts).
    files: ['src/stores/**/*.ts'],
    ignores: ['src/**/*.test.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...restrictedSyntax, ...inSource, ...outsideEgress, ...ROUNDED_TIMES],
    },
  },
  {
    files: ['src/api/**/*.ts'],
    ignores: ['src/**/*.test.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...restrictedSyntax,
        ...inSource,
        ...outsideEgress,
        {
          selector: 'Property[key.name="position"] CallExpression[callee.property.name="toISOString"]',
          message: 'A position in a list keeps the microseconds of its time: read it as text in SQL.',
        },
      ],
    },
  },
  {
    files: ['**/*.test.ts', 'test/**/*.ts'],
    rules: {
      'house/plain-test-name': 'error',
      // a describe block is a list of tests, which are read one by one
      'max-lines-per-function': 'off',
      'max-lines': ['error', { max: 500 }],
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
  {
    files: ['test/**/*.ts', '{src,ops}/**/*.test.ts'],
    // the first is the module with the timers; the second has a clock of jest
    ignores: ['test/support/waits.ts', 'src/engine/enrolment.test.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...restrictedSyntax, ...syntaxOfTests],
      'no-restricted-imports': [
        'error',
        ...['node:timers/promises', 'timers/promises', 'node:timers', 'timers'].map((name) => ({
          name,
          importNames: ['setTimeout', 'scheduler', 'default'],
          message: WAITS_OF_TESTS,
        })),
      ],
    },
  },
  {
    files: ['{src,ops}/**/*.test.ts'],
    ignores: ['src/engine/enrolment.test.ts'],
    rules: { 'no-restricted-syntax': ['error', ...restrictedSyntax, ...inSource, ...syntaxOfTests] },
  },
);
