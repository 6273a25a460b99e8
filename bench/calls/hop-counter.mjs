/**
 * Counts hops in an API process: `node --import ./bench/calls/hop-counter.mjs dist/api/main.js`. A hop is a call of a
 * named function from another file; the caller is the nearest function of `dist` below it on the stack. Accessors and
 * functions without a name (callbacks in place) are no hops: a reader sees them where they are used.
 * `globalThis.hops` has the counts by `<file> <function> <calling file>`; clearing the map begins anew.
 */
import Module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const DIST = join(dirname(fileURLToPath(import.meta.url)), '../../dist/');
const FRAMES = 60;

globalThis.hops = new Map();
globalThis.noteHop = (file, name) => {
  const caller = callerOf();
  if (caller === file) return;
  const key = `${file} ${name} ${caller ?? '(event)'}`;
  globalThis.hops.set(key, (globalThis.hops.get(key) ?? 0) + 1);
};

/** The file of the nearest function of `dist` that called the running one; undefined if none did. */
function callerOf() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName());
  const files = new Error().stack.filter((name) => name?.startsWith(DIST));
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  // The first is the function itself.
  return files[1]?.slice(DIST.length);
}

const compile = Module.prototype._compile;
Module.prototype._compile = function counted(content, fileName, ...rest) {
  const isOurs = fileName.startsWith(DIST) && !fileName.endsWith('-bundle.js');
  return compile.call(
    this,
    isOurs ? withNotes(content, fileName.slice(DIST.length)) : content,
    fileName,
    ...rest,
  );
};

/** The text with a note at the beginning of each named function. */
function withNotes(text, file) {
  const source = ts.createSourceFile('file.js', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const notes = [];
  const visit = (node) => {
    const name = ts.isFunctionLike(node) && !ts.isAccessor(node) ? nameOf(node) : undefined;
    if (name && node.body) notes.push(noteIn(node.body, file, name));
    ts.forEachChild(node, visit);
  };
  visit(source);
  let counted = text;
  for (const { at, note } of notes.flat().sort((a, b) => b.at - a.at))
    counted = counted.slice(0, at) + note + counted.slice(at);
  return counted;
}

function noteIn(body, file, name) {
  const note = `globalThis.noteHop(${JSON.stringify(file)}, ${JSON.stringify(name)})`;
  if (ts.isBlock(body)) return [{ at: body.getStart() + 1, note: `${note};` }];
  return [
    { at: body.getStart(), note: `(${note}, ` },
    { at: body.end, note: ')' },
  ];
}

/** The name of a function: its own, or that of the constant or property that it is given to in place. */
function nameOf({ name, parent }) {
  const named =
    name ?? ((ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) && parent.name);
  return named ? named.getText() : undefined;
}
