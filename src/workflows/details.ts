/**
 * What a workflow shows on its page in Temporal's UI ("Current Details"): what it is doing or waiting for, until when,
 * what happens then, and what an operator can do about it (docs/operators/temporal.md). The UI asks a worker for it, so
 * it is neither in the history nor part of the workflow's decisions, and may change at any time.
 */
import { setCurrentDetails } from '@temporalio/workflow';

export interface Details {
  /** One sentence about the state, without its full stop. */
  state: string;
  /** End of the wait, in epoch milliseconds. */
  untilMs?: number | undefined;
  /** What happens at the end of the wait. */
  then?: string | undefined;
  /** What was decided so far, each with its time. */
  decided?: readonly string[] | undefined;
  /** Movements of credits: from → to, with the reference in the ledger. */
  credits?: readonly string[] | undefined;
  /** What an operator can do, each a command and its effect. */
  operator?: readonly string[] | undefined;
  /** Operations that show the objects behind the workflow. */
  api?: readonly string[] | undefined;
  /** The trace id of the request, as in logs, answers and traces. */
  trace?: string | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What a query says beside its state: the time of `untilMs` in ISO form, and what comes then. */
export interface Next {
  until: string | null;
  next: string;
}

export function nextOf({ state, untilMs, then }: Details): Next {
  return { until: untilMs === undefined ? null : isoTime(untilMs), next: then ?? state };
}

/** A time such as `2026-11-30T09:12:31.400Z`. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Shows the details of the workflow that calls it. */
export function show(details: Details): void {
  setCurrentDetails(detailsText(details, Date.now()));
}

/** The details as Markdown. `nowMs`: the time of the change, in epoch milliseconds. */
export function detailsText(details: Details, nowMs: number): string {
  const { state, untilMs, then, decided = [], credits = [], operator = [], api = [], trace } = details;
  const until =
    untilMs === undefined
      ? []
      : [`- **Until:** ${isoMinute(untilMs)} (${duration(untilMs - nowMs)} after ${isoMinute(nowMs)})`];
  return [
    `**${state}.**`,
    '',
    ...until,
    ...(then === undefined ? [] : [`- **Then:** ${then}`]),
    ...decided.map((line) => `- **Decided:** ${line}`),
    ...credits.map((line) => `- **Credits:** ${line}`),
    ...operator.map((line) => `- **Operator:** ${line}`),
    ...api.map((line) => `- **API:** \`${line}\``),
    ...(trace === undefined ? [] : [`- **Trace:** \`${trace}\``]),
  ].join('\n');
}

/** The summary of a timer: what it waits for and until when. One line. */
export function timerSummary(what: string, untilMs: number): { summary: string } {
  return { summary: `${what}, until ${isoMinute(untilMs)}` };
}

/** A time such as `2026-11-30T09:12Z`. */
export function isoMinute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16)}Z`;
}

/** A duration in the largest unit that fits, such as `7 days`; a duration that is over is `0 seconds`. */
export function duration(ms: number): string {
  const units: [number, string][] = [
    [DAY_MS, 'day'],
    [HOUR_MS, 'hour'],
    [MINUTE_MS, 'minute'],
    [1_000, 'second'],
  ];
  const [size, name] = units.find(([length]) => ms >= length) ?? [1_000, 'second'];
  const count = Math.max(0, Math.round(ms / size));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
