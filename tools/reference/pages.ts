import { cliPage } from './cli';
import { decisionsPage } from './decisions';
import { errorsPage } from './errors';
import { eventsPage } from './events';
import { jsonSchemaPage } from './json-schema';
import { manifestPage } from './manifest';
import { metricsPage } from './metrics';
import { rolesPage } from './roles';
import { settingsPage } from './settings';

/** The pages that are made from code or from other pages, by file. */
export const REFERENCE_PAGES: Record<string, () => string | Promise<string>> = {
  'docs/adr/README.md': decisionsPage,
  'docs/reference/cli.md': cliPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/events.md': eventsPage,
  'docs/reference/json-schema.md': jsonSchemaPage,
  'docs/reference/manifest.md': manifestPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/roles.md': rolesPage,
  'docs/reference/settings.md': settingsPage,
};
