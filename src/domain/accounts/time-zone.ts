import type { FieldProblem } from '../errors';

/** The form of a name in the time zone database of IANA, such as `Europe/Berlin`. */
export const TIME_ZONE_PATTERN = '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$';
export const MAX_TIME_ZONE_LENGTH = 64;

export const NO_TIME_ZONE: FieldProblem = {
  loc: ['body', 'time_zone'],
  msg: 'must be a time zone of the IANA database, such as Europe/Berlin or UTC',
  type: 'time_zone',
};

/** Problems of the time zone of an account. */
export function timeZoneProblems(zone: string): FieldProblem[] {
  if (!new RegExp(TIME_ZONE_PATTERN).test(zone) || zone.length > MAX_TIME_ZONE_LENGTH) return [];
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return [];
  } catch {
    return [NO_TIME_ZONE];
  }
}
