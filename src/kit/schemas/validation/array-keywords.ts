import { failed, inside, isDone, silently, type Check, type Seen } from './run';

type Compile = (schema: unknown) => Check;
type Schemas = Readonly<Record<string, unknown>>;

/** `prefixItems`, `items` and `contains`. */
export function itemChecks(schema: Schemas, compile: Compile): Check[] {
  const checks: Check[] = [];
  const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems.map(compile) : [];
  if (prefix.length > 0) checks.push(prefixCheck(prefix));
  if (Object.hasOwn(schema, 'items')) checks.push(restCheck(schema.items, compile, prefix.length));
  if (Object.hasOwn(schema, 'contains')) checks.push(containsCheck(schema, compile));
  return checks;
}

function prefixCheck(prefix: readonly Check[]): Check {
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true;
    if (seen) seen.items = Math.max(seen.items, Math.min(prefix.length, value.length));
    let isValid = true;
    for (const [index, check] of prefix.entries()) {
      if (index >= value.length) break;
      if (inside(check, value[index], index, run)) continue;
      isValid = false;
      if (isDone(run)) return false;
    }
    return isValid;
  };
}

function restCheck(part: unknown, compile: Compile, from: number): Check {
  const check = compile(part);
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true;
    if (seen) seen.items = Math.max(seen.items, value.length);
    if (part === false && value.length > from)
      return failed(run, 'items', `must NOT have more than ${from} items`);
    let isValid = true;
    for (let index = from; index < value.length; index += 1) {
      if (inside(check, value[index], index, run)) continue;
      isValid = false;
      if (isDone(run)) return false;
    }
    return isValid;
  };
}

function containsCheck(schema: Schemas, compile: Compile): Check {
  const check = compile(schema.contains);
  const least = typeof schema.minContains === 'number' ? schema.minContains : 1;
  const most = typeof schema.maxContains === 'number' ? schema.maxContains : Infinity;
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true;
    let count = 0;
    for (const [index, item] of value.entries()) {
      // Without a reader of the evaluated items, the verdict is known early.
      if (!seen && count >= least && (most === Infinity || count > most)) break;
      if (!silently(check, item, run, undefined)) continue;
      count += 1;
      if (seen) (seen.others ??= new Set()).add(index);
    }
    if (count >= least && count <= most) return true;
    const bound = most === Infinity ? '' : ` and no more than ${most}`;
    return failed(run, 'contains', `must contain at least ${least}${bound} valid item(s)`);
  };
}

/** Runs after all other keywords of its schema. */
export function unevaluatedItems(part: unknown, compile: Compile): Check {
  const check = compile(part);
  return (value, run, seen) => {
    if (!Array.isArray(value) || !seen) return true;
    const isSeen = ({ items, others }: Seen, index: number) => index < items || others?.has(index) === true;
    let isValid = true;
    for (let index = 0; index < value.length; index += 1) {
      if (isSeen(seen, index)) continue;
      if (part === false) return failed(run, 'unevaluatedItems', `must NOT have more than ${index} items`);
      if (inside(check, value[index], index, run)) continue;
      isValid = false;
      if (isDone(run)) return false;
    }
    if (isValid) seen.items = Math.max(seen.items, value.length);
    return isValid;
  };
}
