import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Bytes leave for strangers through src/egress only (docs/adr), where every address is vetted and pinned. */
const OUTSIDE_EGRESS = 'Only src/egress may call other servers.';
const CLIENT_PACKAGES = [
  ...['undici', 'axios', 'got', 'ky', 'needle', 'node-fetch', 'cross-fetch', 'superagent', 'request', 'ws'],
  ...['@modelcontextprotocol/client', '@a2a-js/sdk/client'],
];
const HTTP_MODULES = ['node:http', 'http', 'node:https', 'https', 'node:http2', 'http2'];
const dynamicClients = [...CLIENT_PACKAGES, ...HTTP_MODULES]
  .map((name) => name.replaceAll('/', '\\/'))
  .join('|');

const house = {
  rules: {
    'kebab-case-file': {
      create: (context) => ({
        Program(node) {
          const name = context.filename.split('/').at(-1) ?? '';
          const isMigration = /\/migrations\/\d{4}_[a-z0-9_]+\.js$/.test(context.filename);
          if (isMigration || /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(name)) return;
          context.report({ node, message: `File names are kebab-case: ${name}` });
        },
      }),
    },
  },
};

const restrictedSyntax = [
  { selector: 'TSEnumDeclaration', message: 'Use an `as const` object.' },
  { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file itself.' },
  { selector: 'TSInterfaceDeclaration[id.name=/^I[A-Z][a-z]/]', message: 'Interfaces have no I in front.' },
];

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', 'node_modules/', '.market*/', 'examples/**/data/'] },
  eslint.configs.recommended,
  {
    plugins: { house },
    languageOptions: {
      ecmaVersion: 2024,
      globals: { process: 'readonly', console: 'readonly', Buffer: 'readonly', URL: 'readonly' },
    },
    rules: {
      'house/kebab-case-file': 'error',
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 70 }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.{js,cjs}'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { module: 'writable', require: 'readonly', __dirname: 'readonly', exports: 'writable' },
    },
  },
  // a migration is one text of SQL
  { files: ['migrations/*.js'], rules: { 'max-lines-per-function': 'off' } },
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
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      'no-restricted-syntax': ['error', ...restrictedSyntax],
      // services are functions that return objects of functions: nothing here has a `this` to lose
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // adapters implement interfaces whose functions are asynchronous, whether or not they wait themselves
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...restrictedSyntax,
        { selector: 'ExportDefaultDeclaration', message: 'Exports have names.' },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    // the two of the local stack: its own API, and whether there is an internet to download from; the command's: the
    // API of the marketplace whose user runs it
    ignores: [
      'src/egress/**',
      'src/cli/api-client.ts',
      'src/runtime/demonstration/api-client.ts',
      'src/runtime/temporal/temporal-install.ts',
      'src/**/*.test.ts',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...restrictedSyntax,
        { selector: 'ExportDefaultDeclaration', message: 'Exports have names.' },
        { selector: `ImportExpression > Literal[value=/^(${dynamicClients})$/]`, message: OUTSIDE_EGRESS },
      ],
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
    files: ['**/*.test.ts', 'test/**/*.ts'],
    rules: {
      // a describe block is a list, and tests are read one by one
      'max-lines-per-function': 'off',
      'max-lines': ['error', { max: 500 }],
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
);
