/** Profiles a CSV text: what is in each column, how much is missing, how numbers spread and move together. */
import Papa from 'papaparse';
import {
  mean,
  medianSorted,
  quantileSorted,
  sampleCorrelation,
  sampleStandardDeviation,
} from 'simple-statistics';
import { InputError } from '../serve.mjs';

const MAX_COLUMNS = 200;
const MAX_CORRELATED_COLUMNS = 20;
const TOP_VALUES = 5;
const MISSING = new Set(['', 'na', 'n/a', 'nan', 'null', 'none']);
const INTEGER = /^[+-]?\d{1,15}$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;
const BOOLEAN = /^(?:true|false|yes|no)$/i;
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** @param {{ csv?: unknown, delimiter?: unknown, has_header?: unknown }} input */
export function profileCsv({ csv, delimiter, has_header: hasHeader = true }) {
  if (typeof csv !== 'string' || csv === '') throw new InputError('csv must be a text that is not empty.');
  const parsed = Papa.parse(csv, {
    delimiter: typeof delimiter === 'string' ? delimiter : '',
    skipEmptyLines: 'greedy',
  });
  const lines = parsed.data;
  const first = lines[0] ?? [];
  const header = hasHeader ? first : first.map((_cell, index) => `column_${index + 1}`);
  const rows = hasHeader ? lines.slice(1) : lines;
  if (header.length > MAX_COLUMNS) throw new InputError(`At most ${MAX_COLUMNS} columns can be profiled.`);
  const names = uniqueNames(header);
  const columns = names.map((name, index) =>
    profileColumn(
      name,
      rows.map((row) => (row[index] ?? '').trim()),
    ),
  );
  return {
    rows: rows.length,
    delimiter: parsed.meta.delimiter,
    columns: columns.map(({ profile }) => profile),
    correlations: correlate(columns.filter(({ numbers }) => numbers !== undefined)),
    warnings: warningsOf(parsed.errors, rows, header.length),
  };
}

function uniqueNames(header) {
  const seen = new Map();
  return header.map((cell, index) => {
    const name = cell.trim().slice(0, 200) || `column_${index + 1}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  });
}

/** The profile, and for number columns the values row by row (undefined where missing). */
function profileColumn(name, cells) {
  const values = cells.filter((cell) => !isMissing(cell));
  const type = typeOf(values);
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const isNumeric = type === 'integer' || type === 'number';
  const profile = {
    name,
    type,
    missing: cells.length - values.length,
    missing_share: cells.length === 0 ? 0 : round((cells.length - values.length) / cells.length),
    distinct: counts.size,
    numeric: isNumeric ? summarise(values.map(Number)) : null,
    top_values: isNumeric ? [] : topOf(counts),
  };
  return {
    name,
    profile,
    numbers: isNumeric ? cells.map((cell) => (isMissing(cell) ? undefined : Number(cell))) : undefined,
  };
}

function isMissing(cell) {
  return MISSING.has(cell.toLowerCase());
}

function typeOf(values) {
  if (values.length === 0) return 'empty';
  if (values.every((value) => INTEGER.test(value))) return 'integer';
  if (values.every((value) => NUMBER.test(value) && Number.isFinite(Number(value)))) return 'number';
  if (values.every((value) => BOOLEAN.test(value))) return 'boolean';
  if (values.every((value) => DATE.test(value) && !Number.isNaN(Date.parse(value)))) return 'date';
  return 'text';
}

function summarise(numbers) {
  const sorted = Float64Array.from(numbers).sort();
  const quantile = (share) => round(quantileSorted(sorted, share));
  return {
    min: sorted[0],
    max: sorted.at(-1),
    mean: round(mean(numbers)),
    median: round(medianSorted(sorted)),
    standard_deviation: numbers.length > 1 ? round(sampleStandardDeviation(numbers)) : null,
    quantiles: { p05: quantile(0.05), p25: quantile(0.25), p75: quantile(0.75), p95: quantile(0.95) },
  };
}

function topOf(counts) {
  const ranked = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return ranked.slice(0, TOP_VALUES).map(([value, count]) => ({ value: value.slice(0, 200), count }));
}

/** Pearson's r of each pair of number columns over the rows that have both, strongest first. */
function correlate(columns) {
  const pairs = [];
  const some = columns.slice(0, MAX_CORRELATED_COLUMNS);
  for (const [index, a] of some.entries()) {
    for (const b of some.slice(index + 1)) pairs.push(correlatePair(a, b));
  }
  return pairs
    .filter(({ pearson }) => pearson !== null)
    .sort((x, y) => Math.abs(y.pearson) - Math.abs(x.pearson));
}

function correlatePair(a, b) {
  const both = a.numbers.flatMap((x, row) =>
    x === undefined || b.numbers[row] === undefined ? [] : [[x, b.numbers[row]]],
  );
  const xs = both.map(([x]) => x);
  const ys = both.map(([, y]) => y);
  const pearson = both.length > 2 ? sampleCorrelation(xs, ys) : NaN;
  return {
    a: a.name,
    b: b.name,
    rows: both.length,
    pearson: Number.isFinite(pearson) ? round(pearson) : null,
  };
}

function warningsOf(errors, rows, width) {
  const ragged = rows.filter((row) => row.length !== width).length;
  const broken = new Set(errors.filter(({ type }) => type === 'Quotes').map(({ row }) => row)).size;
  return [
    ...(rows.length === 0 ? ['there is no row'] : []),
    ...(ragged > 0 ? [`${ragged} rows do not have ${width} cells`] : []),
    ...(broken > 0 ? [`${broken} rows have broken quotes`] : []),
  ];
}

function round(value) {
  return Number(value.toPrecision(6));
}
