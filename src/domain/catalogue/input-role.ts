/**
 * The role of an agent's input: `data` is worked on, `instructions` are followed. A chat agent that does what its user
 * says is not injected; a translator that does what its text says is.
 */
import { isRecord } from '../json-value';

export const INPUT_ROLES = ['data', 'instructions'] as const;
export type InputRole = (typeof INPUT_ROLES)[number];

const CHAT_FIELDS =
  /^(?:messages?|prompts?|questions?|query|chat|instructions?|task|request|ask|conversation|user_?(?:message|input|prompt))$/i;
const CHAT_WORDS =
  /\b(?:chat|chats|chatbot|assistant|conversation(?:al)?|copilot|answers? (?:any |your |user )?questions?|general[- ]purpose)\b/i;

/** The declared role, or else the one that the names of the input fields and the description suggest. */
export function inputRoleOf(document: {
  input_role?: InputRole;
  display_name?: string;
  description?: string;
  tags?: string[];
  input_schema?: unknown;
}): InputRole {
  if (document.input_role) return document.input_role;
  const schema = isRecord(document.input_schema) ? document.input_schema : {};
  const names = isRecord(schema['properties']) ? Object.keys(schema['properties']) : [];
  const words = [document.display_name, document.description, ...(document.tags ?? [])].join(' ');
  return names.some((name) => CHAT_FIELDS.test(name)) || CHAT_WORDS.test(words) ? 'instructions' : 'data';
}
