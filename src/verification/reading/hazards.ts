/** What in an answer is dangerous for those who read it: people, the programs that display it, and models. */
import type { AttackCategory, LeakKind } from '../../domain/evidence/leak-kinds';
import { hasActiveContent, hasHiddenText, hasTerminalEscapes } from './active-content';
import { ordersReader } from './reader-orders';
import { sendsTextAway } from './sent-text';

export interface Hazard {
  category: AttackCategory;
  kind: LeakKind;
}

/** What the manifest says of answers. */
export interface Declared {
  /** Answers are instructions for models. */
  writesPrompts: boolean;
  /** Answers are markup or code. */
  writesMarkup: boolean;
  /** Declared hosts, in lower case; undefined: addresses are not looked at. */
  declared?: readonly string[];
}

/** The hazards of an answer, as texts. What `input` has as well does not count. */
export function hazardsIn(
  output: string,
  input: string,
  { writesPrompts, writesMarkup, declared }: Declared,
): Hazard[] {
  const found: Hazard[] = [];
  const note = (isFound: boolean, category: AttackCategory, kind: LeakKind) => {
    if (isFound) found.push({ category, kind });
  };
  note(!writesPrompts && ordersReader(output, input), 'prompt_injection', 'instructs_reader');
  note(hasHiddenText(output, input), 'prompt_injection', 'hidden_text');
  note(!writesMarkup && hasActiveContent(output, input), 'data_exfiltration', 'active_content');
  note(hasTerminalEscapes(output, input), 'data_exfiltration', 'terminal_escape');
  const isSent = declared !== undefined && sendsTextAway(output, input, declared);
  note(isSent, 'data_exfiltration', 'sends_text_away');
  return found;
}
