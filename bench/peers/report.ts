/**
 * Writes the figures of `npm run bench:peers` to `docs/cost-of-a-call.md`, between its marks, and a chart beside it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { median, type LoadResult } from '../measure';
import type { Group, Pause } from './contestants';

export interface Cell extends LoadResult {
  name: string;
  group: Group;
  durable: boolean;
  clients: number;
  pause: Pause;
  /** Undefined without an engine. */
  callsPerWorkflow: number | undefined;
  /** Milliseconds of CPU a call. */
  cpu: { app: number; engine: number; postgres: number; sum: number };
}

const DOCS = join(__dirname, '..', '..', 'docs');
const PAGE = join(DOCS, 'performance.md');
const CHART = 'cost-of-a-call-peers.svg';
const MARKS = ['<!-- bench:peers -->', '<!-- end of bench:peers -->'] as const;
/** The contestant that the others are compared with. */
export const OURS = 'ours, enrolled beside the steps';

/** The rounds of one contestant in one cell. */
interface Row {
  name: string;
  durable: boolean;
  rounds: Cell[];
}

const of = (cells: readonly Cell[], clients: number, pause: Pause): Row[] =>
  [...new Set(cells.map(({ name }) => name))].map((name) => ({
    name,
    durable: cells.some((cell) => cell.name === name && cell.durable),
    rounds: cells.filter((cell) => cell.name === name && cell.clients === clients && cell.pause === pause),
  }));
const middle = (row: Row | undefined, value: (cell: Cell) => number) =>
  median((row?.rounds ?? []).map(value));
const rate = (row: Row | undefined) => middle(row, (cell) => cell.callsPerSecond);

export function writeReport(cells: readonly Cell[], run: { rounds: number; seconds: number }): void {
  const text = [
    `${run.rounds} interleaved round${run.rounds === 1 ? '' : 's'} of ${run.seconds} s a cell, medians; ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.versions.node}, ` +
      `${new Date().toISOString().slice(0, 10)}. Errors: ${cells.reduce((sum, { errors }) => sum + errors, 0)}.`,
    tableOf(cells),
    `![Calls a second with 32 clients](${CHART})`,
    goalsOf(cells),
  ].join('\n\n');
  const before = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '# Performance\n';
  const page = before.includes(MARKS[0]) ? before : `${before}\n${MARKS.join('\n')}\n`;
  const [begin, end] = MARKS.map((mark) => page.indexOf(mark));
  if (begin === undefined || end === undefined || begin < 0 || end < 0)
    throw new Error(`${PAGE} has no marks`);
  writeFileSync(PAGE, `${page.slice(0, begin + MARKS[0].length)}\n\n${text}\n\n${page.slice(end)}`);
  writeFileSync(join(DOCS, CHART), chartOf(of(cells, 32, 0)));
  console.log(text);
}

function tableOf(cells: readonly Cell[]): string {
  const at32 = of(cells, 32, 0);
  const lines = at32.map((row) => {
    const { name } = row;
    const one = of(cells, 1, 0).find((each) => each.name === name);
    const rates = [1, 16, 64].map((clients) =>
      rate(of(cells, clients, 0).find((each) => each.name === name)),
    );
    const [at1 = 0, at16 = 0, at64 = 0] = rates;
    const all = row.rounds.map(({ callsPerSecond }) => callsPerSecond);
    const cpu = (part: keyof Cell['cpu']) => middle(row, (cell) => cell.cpu[part]).toFixed(1);
    return [
      `${name}${row.durable ? '' : ' (not durable)'}`,
      `${at1.toFixed(0)} · ${at16.toFixed(0)} · ${rate(row).toFixed(0)} · ${at64.toFixed(0)}`,
      `${Math.min(...all).toFixed(0)}–${Math.max(...all).toFixed(0)}`,
      `${middle(one, (cell) => cell.p50Ms).toFixed(1)} · ${middle(row, (cell) => cell.p50Ms).toFixed(0)}`,
      `${middle(row, (cell) => cell.p99Ms).toFixed(0)} (${(middle(row, (cell) => cell.p99Ms) / middle(row, (cell) => cell.p50Ms)).toFixed(1)})`,
      row.durable ? middle(row, (cell) => cell.callsPerWorkflow ?? 1).toFixed(0) : '–',
      `${cpu('app')} · ${cpu('engine')} · ${cpu('postgres')} = **${cpu('sum')}**`,
      rate(of(cells, 32, 50).find((each) => each.name === name)).toFixed(0),
    ];
  });
  const head = [
    'Shape',
    'calls/s at 1 · 16 · 32 · 64 clients',
    'min–max at 32',
    'p50 ms at 1 · 32',
    'p99 ms at 32 (p99/p50)',
    'calls a workflow at 32',
    'CPU ms a call at 32: app · engine · Postgres = sum',
    'calls/s at 32, agent 50 ms',
  ];
  return [head, head.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

function goalsOf(cells: readonly Cell[]): string {
  const at32 = of(cells, 32, 0);
  const ours = at32.find(({ name }) => name === OURS);
  const quotient = (name: string) => rate(ours) / rate(at32.find((row) => row.name === name));
  const p50 = (name: string) =>
    middle(of(cells, 1, 0).find((row) => row.name === name), (cell) => cell.p50Ms); // prettier-ignore
  const goals: [string, string, string][] = [
    ['CPU a call at 32 clients', '13.6 ms', `${middle(ours, ({ cpu }) => cpu.sum).toFixed(1)} ms`],
    ["engine's server, CPU a call", '2.5 ms', `${middle(ours, ({ cpu }) => cpu.engine).toFixed(1)} ms`],
    ['p99/p50 at 32 clients', '3', middle(ours, ({ p50Ms, p99Ms }) => p99Ms / p50Ms).toFixed(1)],
    ...(
      [
        ['lean, Restate', '1'],
        ['our services in Restate', '1.3'],
        ['lean, DBOS', '1.7'],
        ['our services in DBOS', '2'],
        ['lean, Express + knex', '1'],
        ['our services, no engine', '0.85'],
      ] as const
    ).map(([name, must]): [string, string, string] => [
      `calls/s against ${name}`,
      `${must} ×`,
      `${quotient(name).toFixed(2)} ×`,
    ]),
    ['p50 of one client against lean Restate', '1 ×', `${(p50(OURS) / p50('lean, Restate')).toFixed(2)} ×`],
    ['p50 of one client against lean DBOS', '1 ×', `${(p50(OURS) / p50('lean, DBOS')).toFixed(2)} ×`],
  ];
  const lines = [['Goal', 'must', 'measured'], ['---', '---', '---'], ...goals];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** Bars of calls a second, longest first. */
function chartOf(rows: readonly Row[]): string {
  const sorted = [...rows].sort((a, b) => rate(b) - rate(a));
  const most = Math.max(...sorted.map(rate), 1);
  const bars = sorted.map((row, n) => {
    const width = (rate(row) / most) * 380;
    const y = 30 + n * 24;
    const colour = row.name.startsWith('ours') ? '#2563eb' : row.durable ? '#94a3b8' : '#e2e8f0';
    return (
      `<text x="290" y="${y + 13}" text-anchor="end">${row.name}</text>` +
      `<rect x="300" y="${y}" width="${width.toFixed(1)}" height="17" fill="${colour}"/>` +
      `<text x="${(305 + width).toFixed(1)}" y="${y + 13}">${rate(row).toFixed(0)}</text>`
    );
  });
  const height = 40 + sorted.length * 24;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 ${height}" font-family="sans-serif" font-size="12">\n` +
    `<title>Calls a second with 32 clients</title>\n<rect width="740" height="${height}" fill="#fff"/>\n` +
    `<text x="300" y="18">calls a second, 32 clients, agent at once; light grey: not durable</text>\n${bars.join('\n')}\n</svg>\n`
  );
}
