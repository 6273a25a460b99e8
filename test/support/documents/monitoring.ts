/** The alerts of `ops/prometheus` and the dashboards of `ops/grafana`, and the metrics that they name. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const OPS = join(__dirname, '../../../ops');

export interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

export interface DataSource {
  type: string;
  uid: string;
}

export interface Panel {
  id: number;
  title: string;
  datasource: DataSource;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { refId: string; expr: string; datasource: DataSource }[];
}

export interface Dashboard {
  file: string;
  uid: string;
  title: string;
  templating: { list: { name: string; type: string; query: string }[] };
  panels: Panel[];
}

export function readRules(): Rule[] {
  const text = readFileSync(join(OPS, 'prometheus/rules.yml'), 'utf8');
  return (parse(text) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);
}

export function readDashboards(): Dashboard[] {
  return readdirSync(join(OPS, 'grafana')).map((file) => ({
    file,
    ...(JSON.parse(readFileSync(join(OPS, 'grafana', file), 'utf8')) as Omit<Dashboard, 'file'>),
  }));
}

/** Names of the metrics of a PromQL expression, without the suffix of a histogram's buckets. */
export function metricsIn(expression: string): string[] {
  const names = expression.match(/\b(?:market|nodejs|process|node|temporal)_\w+|\bup\b/g) ?? [];
  return names.map((name) => name.replace(/_bucket$/, ''));
}

/** Names of the series of a scrape in Prometheus's text format; a histogram has its own name, too. */
export function seriesIn(scrape: string): Set<string> {
  const names = [...scrape.matchAll(/^([A-Za-z_:][\w:]*)[{ ]/gm)].map(([, name = '']) => name);
  const declared = [...scrape.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
  return new Set([...names, ...declared, ...names.map((name) => name.replace(/_(?:bucket|sum|count)$/, ''))]);
}
