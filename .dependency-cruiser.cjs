'use strict';

/** The rules that keep `tools/import-table.cjs`, and a few for the whole of `src`. */

const { LAYERS, FOLDERS } = require('./tools/import-table.cjs');

/** Built-in modules that send or receive bytes outside the process. */
const NETWORK = ['http', 'https', 'http2', 'net', 'tls', 'dns', 'dns/promises', 'dgram'];
const WIRING = ['^src/(config|logger)\\.ts$'];

/** Files that start a process; they import what they start. */
const ENTRY_POINTS = '^src/(api/(main|server)\\.ts$|workers/|cli/|runtime/)';
const TESTS = '\\.test\\.ts$';

/** The paths of a package, or of a whole scope, and of its types. */
const packagePaths = (name) => [`node_modules/${name}/`, `node_modules/@types/${name}/`];

function layerRules([layer, line]) {
  const from = { path: `^src/${layer}/`, pathNot: [TESTS, ENTRY_POINTS] };
  const own = `^src/${layer}/`;
  const layers = line.layers.map((name) => `^src/${name}/`);
  const types = (line.types ?? []).map((name) => `^src/${name}/`);
  const typesOnly = [...types, ...(line.wiringTypes ? WIRING : [])];
  const packages = line.packages === 'all' ? ['node_modules/'] : line.packages.flatMap(packagePaths);
  const builtins = { none: '.', local: `^(${NETWORK.join('|')})$`, any: '^$' }[line.builtins];
  return [
    {
      name: `${layer}-layers`,
      comment: `src/${layer} may import: ${[layer, ...line.layers].join(', ')}`,
      severity: 'error',
      from,
      to: { path: '^src/', pathNot: [own, ...layers, ...typesOnly, '^src/container\\.ts$'] },
    },
    {
      name: `${layer}-types-only`,
      comment: `src/${layer} may import these as types only`,
      severity: 'error',
      from,
      to: typesOnly.length > 0 ? { path: typesOnly, dependencyTypesNot: ['type-only'] } : { path: '^$' },
    },
    {
      name: `${layer}-packages`,
      comment: `src/${layer} may import the packages: ${[line.packages].flat().join(', ') || 'none'}`,
      severity: 'error',
      from,
      to: { path: 'node_modules/', pathNot: ['^$', ...packages] },
    },
    {
      name: `${layer}-not-packages`,
      comment: `src/${layer} may not import the packages: ${line.notPackages?.join(', ') ?? 'none'}`,
      severity: 'error',
      from,
      to: { path: line.notPackages?.flatMap(packagePaths) ?? '^$' },
    },
    {
      name: `${layer}-builtins`,
      comment: `src/${layer} may use ${line.builtins} built-ins`,
      severity: 'error',
      from,
      to: { dependencyTypes: ['core'], path: builtins },
    },
  ];
}

/** The domain folders of a layer: each may import the folders before it in the table, and the layer's base files. */
function folderRules([layer, { order, base, top }]) {
  const direct = (folder) => `^src/${layer}/${folder}/[^/]+$`;
  const atRoot = (names) => names.map((name) => `^src/${layer}/${name}\\.ts$`);
  const forbid = (name, comment, from, to) => ({
    name: `${layer}-${name}`,
    comment,
    severity: 'error',
    from,
    to,
  });
  const inLayer = `^src/${layer}/`;
  return [
    ...order.map((folder, index) =>
      forbid(
        'order',
        `src/${layer}/${folder} may import the folders before it: ${order.slice(0, index).join(', ') || 'none'}`,
        { path: direct(folder), pathNot: TESTS },
        { path: inLayer, pathNot: [...order.slice(0, index + 1).map(direct), ...atRoot(base)] },
      ),
    ),
    forbid(
      'base',
      `these import no folder of src/${layer}: ${base.join(', ') || 'none'}`,
      { path: base.length > 0 ? atRoot(base) : '^$' },
      { path: inLayer, pathNot: ['^$', ...atRoot(base)] },
    ),
    forbid(
      'top',
      `only the container imports: ${top.join(', ') || 'none'}`,
      { path: '^src/', pathNot: [TESTS, '^src/container\\.ts$', ...atRoot(top)] },
      { path: top.length > 0 ? atRoot(top) : '^$' },
    ),
    forbid(
      'folders',
      `each file of src/${layer} is in a folder that tools/import-table.cjs names, or is named there itself`,
      { path: inLayer, pathNot: [TESTS, ...order.map(direct), ...atRoot(base), ...atRoot(top)] },
      {},
    ),
  ];
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(LAYERS).flatMap(layerRules),
    ...Object.entries(FOLDERS).flatMap(folderRules),
    {
      name: 'container-importers',
      comment: 'only entry points and tests import the container',
      severity: 'error',
      from: { path: '^src/', pathNot: [ENTRY_POINTS, TESTS] },
      to: { path: '^src/container\\.ts$' },
    },
    {
      name: 'undici-importers',
      comment: 'only src/egress sends bytes to other servers',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/egress/', TESTS] },
      to: { path: ['undici', 'axios', 'node-fetch', 'got'].flatMap(packagePaths) },
    },
    {
      name: 'tools-importers',
      comment: 'tools, ops, bench and test stand above src',
      severity: 'error',
      from: { path: '^src/', pathNot: [TESTS] },
      to: { path: '^(tools|ops|bench)/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-barrels',
      comment: 'import a file by its name; only the workflow bundle needs an index',
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
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: { path: '^(src|ops|tools|test)/' },
      to: { couldNotResolve: true },
    },
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
