/**
 * Looks for what makes definitions of tools dangerous, in all their texts: names, titles, descriptions, those of
 * parameters, enums, annotations and `_meta` (ADR 0405). Patterns look at bounded pieces, so that no text takes long.
 */
import { textsOf } from '../../domain/catalogue/tools/tool-changes';
import { TOOL_FLAWS, type ToolFlaw, type ToolFlawKind } from '../../domain/catalogue/tools/tool-flaws';
import type { Tool } from '../../domain/catalogue/tools/tool-list';
import { instructs } from '../probes/leak-detectors';
import { hasForeignLetters, lookOf } from './lookalikes';

const MOST_SHOWN = 5;
const MOST_NAME = 60;

/** The flaws of a list, with the tools that have them. */
export function toolFlaws(tools: readonly Tool[]): ToolFlaw[] {
  const found = new Map<ToolFlawKind, Set<string>>();
  const note = (kind: ToolFlawKind, name: string) =>
    found.set(kind, (found.get(kind) ?? new Set<string>()).add(name));
  const byLook = new Map<string, string>();
  for (const tool of tools) {
    const name = String(tool['name']);
    for (const kind of flawsOf(name, tool)) note(kind, name);
    const look = lookOf(name);
    const other = byLook.get(look);
    // Names that differ in capitals alone are those of careless developers, who get no more than a clear list.
    if (other !== undefined && other.toLowerCase() !== name.toLowerCase()) note('imitated_name', name);
    byLook.set(look, other ?? name);
  }
  const kinds = Object.keys(TOOL_FLAWS) as ToolFlawKind[];
  return kinds.flatMap((kind) => {
    const names = [...(found.get(kind) ?? [])];
    return names.length === 0
      ? []
      : [{ kind, tools: names.slice(0, MOST_SHOWN).map(shownName), count: names.length }];
  });
}

/** A name in visible characters, since it is shown in reports. */
export const shownName = (name: string) => name.slice(0, MOST_NAME).replaceAll(/[^\x20-\x7e]/g, '?') || '?';

function flawsOf(name: string, tool: Tool): ToolFlawKind[] {
  const texts = textsOf(tool);
  const prose = [...texts.values()];
  // Names of parameters are read by the model, too.
  const names = [name, ...parameterNames(texts)];
  const all = [...prose, ...names].map(withoutLongRuns);
  const kinds: ToolFlawKind[] = [];
  if (all.some(hasInvisible)) kinds.push('invisible_characters');
  if (all.some((text) => instructs(visible(text)) || COMMANDS.test(text))) kinds.push('hidden_instructions');
  if (names.some(hasForeignLetters)) kinds.push('foreign_letters');
  if (all.some((text) => OVERRIDES.test(text))) kinds.push('overrides_tools');
  if (all.some((text) => SECRETS.test(text))) kinds.push('takes_secrets');
  return kinds;
}

function parameterNames(texts: ReadonlyMap<string, string>): string[] {
  const names = new Set<string>();
  for (const path of texts.keys())
    for (const [, name] of path.matchAll(/\/properties\/([^/]{1,200})/g)) if (name) names.add(name);
  return [...names];
}

/** No pattern has to look through long white space. */
const withoutLongRuns = (text: string) => text.replaceAll(/\s{2,}/g, ' ');

const INVISIBLE =
  /[\u200b\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\u180e]|(?<!\u{1f3f4}[\u{e0000}-\u{e007f}]{0,32})[\u{e0000}-\u{e007f}]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2}/u;
/** Joiners belong to emoji and to scripts that join letters; marks of direction to scripts from right to left. */
const JOINER_IN_LATIN = /[A-Za-z0-9][\u200c\u200d]|[\u200c\u200d][A-Za-z0-9]/u;
const MARK = /[\u200e\u200f\u061c]/u;
const FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;

function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text) || JOINER_IN_LATIN.test(text) || (MARK.test(text) && !FROM_RIGHT.test(text));
}

const visible = (text: string) =>
  text.replaceAll(/[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu, '');

/** Commands to the model beside those that `instructs` knows. */
const COMMANDS =
  /\b(?:without|never|do not|don't) (?:asking|telling|informing|mentioning|mention|notify(?:ing)?) (?:\w{1,20} ){0,3}(?:user|human)s?\b|\b(?:hide|conceal|keep) (?:this|it|that)(?: \w{1,20}){0,2} (?:from|secret from) the (?:user|human)\b|\[(?:SYSTEM|INST)\]|<\|?(?:system|im_start|important|instructions?)\|?>/i;

const OTHERS = '(?:any |all |every |the )?other (?:tools?|functions?|servers?|agents?)';
const OVERRIDES = new RegExp(
  `\\b(?:do not|don't|never|must not|avoid|stop) (?:use|using|call|calling|invoke|invoking|trust|trusting)\\s(?:${OTHERS}|(?:any|all) tools? (?:but|except) this)` +
    `|\\binstead of (?:using |calling )?${OTHERS}` +
    `|\\b(?:overrides?|supersedes?|replaces?|takes? (?:precedence|priority) over) ${OTHERS}` +
    `|\\b(?:ignore|disregard|forget) (?:the (?:descriptions?|output|results?|instructions?) of )?${OTHERS}` +
    `|\\bbefore (?:using|calling|invoking) ${OTHERS}`,
  'i',
);

const FILES =
  '(?:~/\\.ssh|\\.ssh/|id_(?:rsa|ed25519)|\\.aws/credentials|(?:^|[\\s"\'`/])\\.env\\b|~/\\.cursor|mcp\\.json|\\.netrc|\\.npmrc|/etc/(?:passwd|shadow)|keychain|wallet\\.dat)';
const SECRETS = new RegExp(
  `\\b(?:read|send|pass|include|provide|attach|put|copy|cat|open|contents? of|give)\\b[^.\\n]{0,80}${FILES}` +
    `|\\b(?:pass|include|provide|put|send|copy|append|attach|enter)\\b[^.\\n]{0,60}\\b(?:(?:entire|full|whole|complete) (?:conversation|chat|context|message history)|(?:conversation|chat) history|system prompt|previous messages|(?:seed|recovery) phrase|private keys?|(?:user's|your|their) passwords?)\\b`,
  'i',
);
