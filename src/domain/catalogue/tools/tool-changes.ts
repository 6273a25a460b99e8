/**
 * What differs between two lists of tools, text by text. The lists are untrusted, so the result is bounded; `more` says
 * how much it leaves out.
 */
import type { Tool } from './tool-list';

/** A text of a tool. `path`: a JSON pointer into the definition. Null: the text was not there, or is gone. */
export interface TextChange {
  path: string;
  before: string | null;
  after: string | null;
}

export interface ToolChange {
  name: string;
  kind: 'added' | 'removed' | 'changed';
  texts: TextChange[];
  /** Changed texts beyond those in `texts`. */
  more: number;
}

export interface ToolChanges {
  tools: ToolChange[];
  /** Changed tools beyond those in `tools`. */
  more: number;
}

const MOST_TOOLS = 100;
const MOST_TEXTS = 50;
const MOST_NAME = 256;
/** Characters of one text, and of all. */
const MOST_TEXT = 2_000;
const MOST_CHARACTERS = 32 * 1024;

/** Compares lists whose names are distinct. Members in another order are equal. */
export function toolChanges(before: readonly Tool[], after: readonly Tool[]): ToolChanges {
  const old = new Map(before.map((tool) => [String(tool['name']), tool]));
  const now = new Map(after.map((tool) => [String(tool['name']), tool]));
  const tools: ToolChange[] = [];
  let more = 0;
  let left = MOST_CHARACTERS;
  for (const name of new Set([...now.keys(), ...old.keys()])) {
    const [was, is] = [old.get(name), now.get(name)];
    const texts = is ? changedTexts(was, is) : [];
    if (was && is && texts.length === 0) continue;
    if (tools.length >= MOST_TOOLS || left <= 0) {
      more += 1;
      continue;
    }
    const shown = texts.slice(0, MOST_TEXTS).map(cut);
    left -= shown.reduce((sum, text) => sum + sizeOf(text), name.length);
    const kind = !was ? 'added' : is ? 'changed' : 'removed';
    tools.push({ name: name.slice(0, MOST_NAME), kind, texts: shown, more: texts.length - shown.length });
  }
  return { tools, more };
}

const cut = ({ path, before, after }: TextChange): TextChange => ({
  path: path.slice(0, MOST_NAME),
  before: before?.slice(0, MOST_TEXT) ?? null,
  after: after?.slice(0, MOST_TEXT) ?? null,
});

const sizeOf = ({ path, before, after }: TextChange) =>
  path.length + (before?.length ?? 0) + (after?.length ?? 0);

function changedTexts(was: Tool | undefined, is: Tool): TextChange[] {
  const [old, now] = [was ? textsOf(was) : new Map<string, string>(), textsOf(is)];
  const changes: TextChange[] = [];
  for (const path of new Set([...now.keys(), ...old.keys()])) {
    const [before, after] = [old.get(path) ?? null, now.get(path) ?? null];
    if (before !== after && path !== '/name') changes.push({ path, before, after });
  }
  return changes;
}

/** Every value of a definition that has no members, as text, by its JSON pointer. */
export function textsOf(tool: Tool): Map<string, string> {
  const texts = new Map<string, string>();
  const rest: { value: unknown; path: string }[] = [{ value: tool, path: '' }];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { value, path } = next;
    const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    if (inner.length === 0) texts.set(path, typeof value === 'string' ? value : JSON.stringify(value));
    for (const [name, member] of inner.reverse())
      rest.push({ value: member as unknown, path: `${path}/${escaped(name)}` });
  }
  return texts;
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
