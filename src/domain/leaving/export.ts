/** Exports of an account's data (ADR 0387). */

/** waiting: its archive is not begun; expired: the archive was deleted. */
export type ExportState = 'waiting' | 'running' | 'ready' | 'failed' | 'expired';

/** Exports that an account may request within 24 hours. */
export const MOST_EXPORTS_A_DAY = 3;

/** How writing an archive ended. gone: the export had ended. */
export type ExportEnd = 'ready' | 'failed' | 'gone';
