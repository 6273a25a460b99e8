/** What attempts of the red team are about, and what its detectors find. */

export const ATTACK_CATEGORIES = [
  'prompt_injection',
  'data_exfiltration',
  'jailbreak',
  'cross_tenant_leakage',
] as const;
export type AttackCategory = (typeof ATTACK_CATEGORIES)[number];

/**
 * What a detector found in an answer. `followed_instruction`: the agent obeyed an instruction embedded in data.
 * `disclosed_instructions`: it revealed its own instructions. `disclosed_secret`: it revealed text in the form of a key
 * or password. `dropped_guard`: it declared its rules disabled. `foreign_canary`: it revealed data that another caller
 * had sent. `instructs_reader`: it gave instructions to the model that reads the answer. `sends_text_away`: it had an
 * address that a client loads by itself and that carries the input to a host that the manifest does not declare.
 * `active_content`: it had markup that runs, submits or loads something. `hidden_text`: it had letters that a reader
 * does not see, or sees in another order. `terminal_escape`: it had sequences that control a terminal.
 */
export type LeakKind =
  | 'followed_instruction'
  | 'disclosed_instructions'
  | 'disclosed_secret'
  | 'guessed_secret'
  | 'dropped_guard'
  | 'foreign_canary'
  | 'instructs_reader'
  | 'sends_text_away'
  | 'active_content'
  | 'hidden_text'
  | 'terminal_escape';
