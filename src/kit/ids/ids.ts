import { uuidv7 } from 'uuidv7';

/**
 * Prefixes of public ids (contract, "General"). The rest is a UUIDv7 without dashes, so ids sort by creation time.
 */
export type IdPrefix =
  | 'usr'
  | 'org'
  | 'oin'
  | 'oac'
  | 'idp'
  | 'inv'
  | 'txn'
  | 'key'
  | 'whk'
  | 'evt'
  | 'bgt'
  | 'dsp'
  | 'dsa'
  | 'dof'
  | 'dst'
  | 'slh'
  | 'slt'
  | 'bdp'
  | 'bwd'
  | 'pay'
  | 'xpm'
  | 'xrf'
  | 'fnd'
  | 'fwv'
  | 'fct'
  | 'ver'
  | 'agv'
  | 'top'
  | 'svm'
  | 'ivc'
  | 'ntc'
  | 'opa'
  | 'ses'
  | 'lst'
  | 'pmt'
  | 'tax'
  | 'fxf'
  | 'ocl'
  | 'ocp'
  | 'ogr'
  | 'quo'
  | 'txs'
  | 'nte'
  | 'exp'
  | 'acr'
  | 'del'
  | 'tls'
  | 'rev';

/** Creates an id such as `inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b`. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${uuidv7().replaceAll('-', '')}`;
}

/** Creates a trace id: 32 hexadecimal digits, as W3C Trace Context requires. */
export function newTraceId(): string {
  return uuidv7().replaceAll('-', '');
}

/** Creates an id for this process; part of the name of the task queue that only this process polls. */
export function newProcessId(): string {
  return uuidv7().replaceAll('-', '');
}

/** The lowest id that can be created at a time, in ms since 1970: ids in a range of times are a range of ids. */
export function lowestIdAt(prefix: IdPrefix, ms: number): string {
  const hex = Math.max(0, Math.min(ms, 0xffffffffffff)).toString(16).padStart(12, '0');
  return `${prefix}_${hex.padEnd(32, '0')}`;
}
