'use strict';

/**
 * The import table of the house (docs and ARCHITECTURE.md tell why): which room may import which rooms, packages and
 * built-ins. `test/arch` proves every line of it with an illegal import of each kind. Tests may import anything.
 */

/** Built-ins through which bytes leave the process or come in. */
const NETWORK = ['http', 'https', 'http2', 'net', 'tls', 'dns', 'dns/promises', 'dgram'];
const ANY = ['.*'];
const WIRING = ['^src/(config|logger)\\.ts$'];

/**
 * rooms: what may be imported at all; types: what may be imported as types only; packages: npm packages by name;
 * builtins: `none`, `local` (no network) or `any`.
 */
const TABLE = {
  domain: { rooms: [], packages: [], builtins: 'none' },
  contract: { rooms: ['domain'], packages: ['@sinclair/typebox'], builtins: 'none' },
  // each file wraps one library, but none of these: no database, no network, no engine, no HTTP framework
  kit: {
    rooms: ['domain'],
    packages: ANY,
    notPackages: ['pg', 'knex', 'undici', 'express', '@temporalio'],
    builtins: 'local',
  },
  stores: { rooms: ['domain', 'kit'], packages: ['knex', 'pg'], builtins: 'local' },
  egress: {
    rooms: ['domain', 'kit'],
    packages: ['undici', 'ipaddr.js', 'eventsource-parser', '@modelcontextprotocol', '@x402', 'viem'],
    builtins: 'any',
  },
  verification: { rooms: ['domain', 'kit', 'egress'], packages: [], builtins: 'local' },
  services: {
    rooms: ['domain', 'kit', 'stores', 'egress', 'verification'],
    types: ['contract'],
    wiringTypes: true,
    packages: [],
    builtins: 'local',
  },
  workflows: {
    rooms: ['domain'],
    types: ['activities'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
    builtins: 'none',
  },
  activities: {
    rooms: ['services', 'domain'],
    wiringTypes: true,
    packages: ['@temporalio/activity', '@temporalio/common'],
    builtins: 'local',
  },
  engine: {
    rooms: ['services', 'domain'],
    types: ['workflows'],
    wiringTypes: true,
    packages: ['@temporalio/client', '@temporalio/common'],
    builtins: 'local',
  },
  api: {
    rooms: ['contract', 'engine', 'services', 'domain', 'kit'],
    wiringTypes: true,
    packages: [
      'express',
      'express-session',
      'connect-pg-simple',
      'passport',
      'passport-local',
      'passport-custom',
      'helmet',
      'rate-limiter-flexible',
      'pino',
      'pino-http',
      'prom-client',
      '@sinclair/typebox',
      '@modelcontextprotocol',
      '@a2a-js/sdk',
    ],
    builtins: 'any',
  },
};

/** Processes start here; they import what they start. */
const ENTRY_POINTS = '^src/(api/(main|server)\\.ts$|workers/|cli/|runtime/)';
const TESTS = '\\.test\\.ts$';

/** A package (or all of a scope) and its types. */
const packagePaths = (name) =>
  name === '.*' ? ['node_modules/'] : [`node_modules/${name}/`, `node_modules/@types/${name}/`];

function roomRules([room, line]) {
  const from = { path: `^src/${room}/`, pathNot: [TESTS, ENTRY_POINTS] };
  const own = `^src/${room}/`;
  const rooms = line.rooms.map((name) => `^src/${name}/`);
  const types = (line.types ?? []).map((name) => `^src/${name}/`);
  const typesOnly = [...types, ...(line.wiringTypes ? WIRING : [])];
  const builtins = { none: '.', local: `^(${NETWORK.join('|')})$`, any: '^$' }[line.builtins];
  return [
    {
      name: `${room}-rooms`,
      comment: `src/${room} may import: ${[room, ...line.rooms].join(', ')}`,
      severity: 'error',
      from,
      to: { path: '^src/', pathNot: [own, ...rooms, ...typesOnly, '^src/container\\.ts$'] },
    },
    {
      name: `${room}-types-only`,
      comment: `src/${room} may import these as types only`,
      severity: 'error',
      from,
      to: typesOnly.length > 0 ? { path: typesOnly, dependencyTypesNot: ['type-only'] } : { path: '^$' },
    },
    {
      name: `${room}-packages`,
      comment: `src/${room} may import the packages: ${line.packages.join(', ') || 'none'}`,
      severity: 'error',
      from,
      to: { path: 'node_modules/', pathNot: ['^$', ...line.packages.flatMap(packagePaths)] },
    },
    {
      name: `${room}-not-packages`,
      comment: `src/${room} may not import the packages: ${line.notPackages?.join(', ') ?? 'none'}`,
      severity: 'error',
      from,
      to: { path: line.notPackages?.flatMap(packagePaths) ?? '^$' },
    },
    {
      name: `${room}-builtins`,
      comment: `src/${room} may use ${line.builtins} built-ins`,
      severity: 'error',
      from,
      to: { dependencyTypes: ['core'], path: builtins },
    },
  ];
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(TABLE).flatMap(roomRules),
    {
      name: 'container-importers',
      comment: 'only entry points and tests import the container',
      severity: 'error',
      from: { path: '^src/', pathNot: [ENTRY_POINTS, TESTS] },
      to: { path: '^src/container\\.ts$' },
    },
    {
      name: 'undici-importers',
      comment: 'bytes leave for strangers through src/egress only',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/egress/', TESTS] },
      to: { path: ['undici', 'axios', 'node-fetch', 'got'].flatMap(packagePaths) },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-barrels',
      comment: 'a file is imported by its name; the workflow bundle needs one index',
      severity: 'error',
      from: {},
      to: { path: '^src/.*/index\\.ts$', pathNot: '^src/workflows/index\\.ts$' },
    },
    {
      name: 'no-tests-in-product',
      severity: 'error',
      from: { path: '^src/', pathNot: TESTS },
      to: { path: ['^test/', TESTS] },
    },
    {
      name: 'no-dev-packages-in-product',
      comment: 'the local stack (src/runtime) is development only',
      severity: 'error',
      from: { path: '^src/', pathNot: [TESTS, '^src/runtime/'] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: ['node_modules', '^test/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
