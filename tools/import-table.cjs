'use strict';

/**
 * The import table: which layer of `src` may import which layers, packages and built-in modules, and in which order the
 * domain folders of a layer build on each other. This is the only source. `.dependency-cruiser.cjs` makes rules of it,
 * `test/arch` proves each line with an illegal import and compares the table in ARCHITECTURE.md. Tests may import
 * anything.
 */

/**
 * layers: other layers that may be imported. types: layers of which types alone may be imported. wiringTypes: types of
 * `src/config.ts` and `src/logger.ts` may be imported. packages: npm packages, or whole scopes; `all` allows every
 * package but `notPackages`. builtins: `none`, `local` (all but network modules) or `any`.
 */
const LAYERS = {
  domain: { layers: [], packages: [], builtins: 'none' },
  contract: { layers: ['domain'], packages: ['@sinclair/typebox'], builtins: 'none' },
  // Each file of kit wraps one library, but never a database, the network, the engine or an HTTP framework.
  kit: {
    layers: ['domain'],
    packages: 'all',
    notPackages: ['pg', 'knex', 'undici', 'express', '@temporalio'],
    builtins: 'local',
  },
  stores: { layers: ['domain', 'kit'], packages: ['pg', 'pg-copy-streams'], builtins: 'local' },
  egress: {
    layers: ['domain', 'kit'],
    packages: ['undici', 'ipaddr.js', 'nodemailer', 'openid-client', 'stripe'],
    builtins: 'any',
  },
  verification: { layers: ['domain', 'kit', 'egress'], packages: [], builtins: 'local' },
  services: {
    layers: ['domain', 'kit', 'stores', 'egress', 'verification'],
    types: ['contract'],
    wiringTypes: true,
    packages: [],
    builtins: 'local',
  },
  workflows: {
    layers: ['domain'],
    types: ['activities'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
    builtins: 'none',
  },
  activities: {
    layers: ['services', 'domain'],
    wiringTypes: true,
    packages: ['@temporalio/activity', '@temporalio/common'],
    builtins: 'local',
  },
  engine: {
    layers: ['services', 'domain', 'kit'],
    types: ['workflows'],
    wiringTypes: true,
    packages: ['@temporalio/client', '@temporalio/common'],
    builtins: 'local',
  },
  api: {
    layers: ['contract', 'engine', 'services', 'domain', 'kit'],
    wiringTypes: true,
    packages: [
      'express',
      'express-session',
      'connect-pg-simple',
      'passport',
      'passport-local',
      'helmet',
      '@sinclair/typebox',
      '@a2a-js/sdk',
    ],
    builtins: 'any',
  },
};

/**
 * The domain folders of each layer, lowest first: a folder may import the folders before it. base: files at the root of
 * the layer that all of its folders may import, and that import none of them. top: files at the root that may import
 * all folders, and that `src/container.ts` alone imports.
 */
const FOLDERS = {
  services: {
    order: [
      'organisations',
      'accounts',
      'sso',
      'oauth',
      'evidence',
      'ledger',
      'billing/providers',
      'billing',
      'bonds',
      'disputes',
      'payouts',
      'mandates',
      'prices',
      'catalogue/cards',
      'catalogue',
      'catalogue/visibility',
      'catalogue/search',
      'mcp/notary',
      'mcp',
      'a2a/remote',
      'calls/answers',
      'calls/agent',
      'calls',
      'x402',
      'quotes',
      'webhooks',
      'a2a',
      'discovery',
      'jobs',
      'verification/ownership',
      'verification',
      'leaving',
      'operations',
    ],
    base: [],
    top: ['agent-parts', 'call-services', 'task-services'],
  },
  api: {
    order: [
      'views/operators',
      'views/documents',
      'views',
      'identity',
      'requests',
      'answers',
      'x402',
      'bodies',
      'mcp/wire',
      'mcp/tasks',
      'mcp',
      'mcp/market',
      'a2a',
      'chat',
      'oauth',
      'binding',
      'middleware',
      'documents',
      'console',
      'routes',
    ],
    base: ['setting-lists'],
    top: ['app', 'http-server', 'main', 'routes', 'server'],
  },
  stores: {
    order: [
      'organisations',
      'accounts',
      'sso',
      'oauth',
      'evidence',
      'ledger',
      'prices',
      'billing',
      'bonds',
      'disputes',
      'payouts',
      'mandates',
      'catalogue',
      'catalogue/search',
      'catalogue/visibility',
      'jobs',
      'calls',
      'x402',
      'webhooks',
      'a2a',
      'verification',
      'leaving',
      'operations',
    ],
    base: [
      'databases',
      'db',
      'list-total',
      'listener',
      'months',
      'read-db',
      'replica-freshness',
      'shown-to',
      'stored-time',
    ],
    top: [],
  },
  domain: {
    order: [
      'accounts',
      'ledger',
      'billing',
      'bonds',
      'disputes',
      'payouts',
      'mandates',
      'catalogue/cards',
      'catalogue',
      'catalogue/search',
      'catalogue/tools',
      'prices',
      'evidence',
      'calls',
      'x402',
      'jobs',
      'webhooks',
      'a2a',
      'discovery',
      'verification',
      'leaving',
    ],
    base: [
      'countries',
      'errors',
      'flow-details',
      'form-rules',
      'instant',
      'json-value',
      'list-total',
      'service-status',
    ],
    top: [],
  },
};

module.exports = { LAYERS, FOLDERS };
