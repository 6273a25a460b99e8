/** What makes a definition of a tool dangerous for the model that reads it (ADR 0405). */
export const TOOL_FLAWS = {
  hidden_instructions: {
    what: 'instructs the model that reads it',
    fix: 'Describe what the tool does. Leave out what the model must do besides, or keep from its user.',
  },
  invisible_characters: {
    what: 'has invisible characters, or characters that change the direction of text',
    fix: 'Delete the characters. Editors show them as escapes; JSON writes them as \\u200b, \\u202e and the like.',
  },
  foreign_letters: {
    what: 'has a name with letters of another script that look like Latin ones',
    fix: 'Write the name in the letters of one script.',
  },
  imitated_name: {
    what: 'has a name that looks like the one of another tool of the list',
    fix: 'Give each tool a name that differs from the others in more than letters that look alike.',
  },
  overrides_tools: {
    what: 'tells the model to leave out other tools, or to prefer this one to all others',
    fix: 'Say when the tool helps, and nothing about other tools than those of this server.',
  },
  takes_secrets: {
    what: 'asks for files with keys, for passwords of other services, or for the conversation',
    fix: 'Let the tool take what it needs for its task alone. Buyers give no secrets to tools.',
  },
} as const;

export type ToolFlawKind = keyof typeof TOOL_FLAWS;

/** `tools`: the names of some of them. */
export interface ToolFlaw {
  kind: ToolFlawKind;
  tools: string[];
  count: number;
}

const MOST_REASON = 900;

/** Why a list is refused, with what its developer can do; undefined if it has no flaw. */
export function flawReason(flaws: readonly ToolFlaw[]): string | undefined {
  if (flaws.length === 0) return undefined;
  const sentences = flaws.map(({ kind, tools, count }) => {
    const more = count > tools.length ? ` and ${count - tools.length} more` : '';
    const { what, fix } = TOOL_FLAWS[kind];
    return `A definition of ${tools.join(', ')}${more} ${what}. ${fix}`;
  });
  return sentences.join(' ').slice(0, MOST_REASON);
}
