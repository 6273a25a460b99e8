/**
 * What Grafana needs to show a dashboard: ids that differ, a data source that is chosen at import, panels that do not
 * overlap.
 */
import { readDashboards, type Dashboard, type Panel } from '../support/documents/monitoring';

/** Columns of Grafana's grid. */
const GRID_COLUMNS = 24;
const SOURCE = { type: 'prometheus', uid: '${datasource}' };

function isUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

function overlap({ gridPos: a }: Panel, { gridPos: b }: Panel): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** Sentences about what Grafana would show wrongly or not at all. */
function faultsOf({ panels, templating }: Dashboard): string[] {
  const faults: string[] = [];
  const say = (isWrong: boolean, fault: string) => void (isWrong && faults.push(fault));
  const { name, type, query } = templating.list[0] ?? {};
  say(name !== 'datasource' || type !== 'datasource' || query !== SOURCE.type, 'no choice of a Prometheus');
  say(!isUnique(panels.map(({ id }) => id)), 'two panels with one id');
  say(!isUnique(panels.map(({ title }) => title)), 'two panels with one title');
  for (const [at, panel] of panels.entries()) {
    const { title, targets, gridPos } = panel;
    const sources = [panel.datasource, ...targets.map(({ datasource }) => datasource)];
    say(sources.some((source) => source.type !== SOURCE.type || source.uid !== SOURCE.uid), `${title}: data source`);
    say(!isUnique(targets.map(({ refId }) => refId)), `${title}: two queries with one refId`);
    say(gridPos.x + gridPos.w > GRID_COLUMNS, `${title}: beyond the grid`);
    say(panels.slice(at + 1).some((other) => overlap(panel, other)), `${title}: covers another panel`);
  }
  return faults;
} // prettier-ignore

const dashboards = readDashboards();

it.each(dashboards)('Grafana can show $file', (dashboard) => {
  expect(faultsOf(dashboard)).toEqual([]);
});

it('has dashboards that differ in uid and title', () => {
  expect(dashboards.length).toBeGreaterThanOrEqual(3);
  expect(isUnique(dashboards.map(({ uid }) => uid))).toBe(true);
  expect(isUnique(dashboards.map(({ title }) => title))).toBe(true);
});

it('finds panels that share an id or a place, and a data source of a single Grafana', () => {
  const [dashboard] = dashboards;
  const [panel] = dashboard?.panels ?? [];
  if (!dashboard || !panel) throw new Error('There is no panel.');
  const fixed = { ...panel, datasource: { type: 'prometheus', uid: 'P1809F7CD0C75ACF3' } };
  expect(faultsOf({ ...dashboard, templating: { list: [] }, panels: [panel, fixed] })).toEqual([
    'no choice of a Prometheus',
    'two panels with one id',
    'two panels with one title',
    `${panel.title}: covers another panel`,
    `${panel.title}: data source`,
  ]);
});
