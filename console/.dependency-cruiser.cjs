'use strict';

/** The import rules of the console: pages → features → ui → client, and nothing of the service's source. */

const ORDER = ['client', 'ui', 'features', 'pages'];
const ROOT_FILES = '^console/src/[^/]+$';

const upward = ORDER.map((folder, index) => ({
  name: `${folder}-imports`,
  comment: `console/src/${folder} may import: ${ORDER.slice(0, index + 1).join(', ')}`,
  severity: 'error',
  from: { path: `^console/src/${folder}/` },
  to: {
    path: '^(console/src|src|packages)/',
    pathNot: [...ORDER.slice(0, index + 1).map((name) => `^console/src/${name}/`), '^packages/client/'],
  },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...upward,
    {
      name: 'only-the-client-calls',
      comment: 'only console/src/client imports the typed client',
      severity: 'error',
      from: { path: '^console/src/', pathNot: '^console/src/client/' },
      to: { path: ['^packages/client/', 'node_modules/(openapi-fetch|@agent-marketplace)/'] },
    },
    {
      name: 'no-service-source',
      comment: 'the console speaks the public API; it imports nothing of the service',
      severity: 'error',
      from: { path: [ROOT_FILES, '^console/src/'] },
      to: { path: '^(src|test|tools)/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'browser', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.css'],
    },
  },
};
