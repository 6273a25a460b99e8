/** Workflows of all runs share one server, where what belongs to an agent is named by it: no two runs use one name. */
const run = `${process.pid}-${Date.now().toString(36)}`;
let made = 0;

/** A slug that nothing else has, beginning with `kind`. */
export function newSlug(kind: string): string {
  made += 1;
  return `${kind}-${run}-${made}`;
}
