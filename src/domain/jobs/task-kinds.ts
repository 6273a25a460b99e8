/** The kinds of agents whose jobs are tasks of their protocol (ADR 0314, 0342). */
export type TaskKind = 'mcp' | 'a2a';

export const hasTasks = (kind: string): kind is TaskKind => kind === 'mcp' || kind === 'a2a';
