/** One change at a time: what is looked for, and what it becomes. Words are whole words. */
const CHANGES = [
  [/ <= /g, ' < '],
  [/ < /g, ' <= '],
  [/ >= /g, ' > '],
  [/ > /g, ' >= '],
  [/ = /g, ' <> '],
  [/ <> /g, ' = '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ \* /g, ' / '],
  [/\bAND\b/g, 'OR'],
  [/(?<!CREATE )\bOR\b/g, 'AND'],
  [/\bIS NOT NULL\b/g, 'IS NULL'],
  [/\bIS NULL\b/g, 'IS NOT NULL'],
  [/\bIS NOT DISTINCT FROM\b/g, 'IS DISTINCT FROM'],
  [/\bIS DISTINCT FROM\b/g, 'IS NOT DISTINCT FROM'],
  [/\bNOT EXISTS\b/g, 'EXISTS'],
  [/(?<!NOT )\bEXISTS\b/g, 'NOT EXISTS'],
  [/\bleast\(/g, 'greatest('],
  [/\bgreatest\(/g, 'least('],
  [/\bFOR (?:NO KEY )?UPDATE(?: OF \w+)?(?: SKIP LOCKED)?/g, ''],
  [/(?<![\w.'$])\d+(?![\w.'])/g, (text) => String(Number(text) + 1)],
];

/** Places that are no code: comments, and texts in quotation marks. */
const NO_CODE = /--[^\n]*|'(?:[^']|'')*'/g;

/**
 * The mutants of a function's file. Its header up to the body is left alone: names, types and rights have tests of
 * their own. Queries that lock in a wrong order, or no longer, are among the mutants.
 */
export function mutantsOf(name, sql) {
  const begin = bodyOf(sql);
  const closed = [...sql.matchAll(NO_CODE)].map((found) => [found.index, found.index + found[0].length]);
  const mutants = [];
  for (const [pattern, becomes] of CHANGES) {
    for (const found of sql.matchAll(pattern)) {
      const [text] = found;
      if (
        found.index < begin ||
        closed.some(([from, to]) => found.index < to && found.index + text.length > from)
      )
        continue;
      const after = typeof becomes === 'string' ? becomes : becomes(text);
      const line = sql.slice(0, found.index).split('\n').length;
      mutants.push({
        name,
        line,
        what: `${text.trim()} → ${after.trim() || 'nothing'}`,
        text: (sql.split('\n')[line - 1] ?? '').trim(),
        sql: sql.slice(0, found.index) + after + sql.slice(found.index + text.length),
      });
    }
  }
  return mutants;
}

function bodyOf(sql) {
  const quoted = /\bAS \$\w*\$/.exec(sql);
  if (quoted) return quoted.index + quoted[0].length;
  const plain = /\bRETURN\b(?!S)/.exec(sql);
  return plain ? plain.index : sql.length;
}
