/**
 * What buyers read of an agent that is no MCP server, as definitions (ADR 0417): its name, description and icon,
 * and the skills of its agent card. They are scanned like tools.
 */
import type { VersionDocument } from '../../domain/catalogue/manifest';
import type { RegistrationDocument } from '../../domain/catalogue/registration';
import type { ToolFlaw } from '../../domain/catalogue/tools/tool-flaws';
import type { Tool } from '../../domain/catalogue/tools/tool-list';
import { shownName, toolFlaws } from './tool-scan';

/** The definitions of an agent, the first of which is named `agent`. */
export function definitionsOf(document: VersionDocument): Tool[] {
  const {
    display_name: title,
    description,
    vertical,
    icon_url,
    agent_card: card,
  } = document as VersionDocument & Partial<RegistrationDocument>;
  const agent = {
    ...{ name: 'agent', title, description },
    ...(vertical !== undefined && { vertical }),
    ...(icon_url !== undefined && { icon_url }),
  };
  const skills = card?.skills ?? [];
  return [agent, ...skills.map((skill, at) => ({ ...skill, name: `skill/${at + 1}`, title: skill.name }))];
}

/** Letters of two scripts within one word, of which one imitates the other. */
const MIXED =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]|[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]\p{Script=Latin}/u;

/** The flaws of the definitions. A name may have words of several scripts, and no word letters of two. */
export function listingFlaws(document: VersionDocument): ToolFlaw[] {
  const definitions = definitionsOf(document);
  const mixed = definitions.filter(({ title }) => typeof title === 'string' && MIXED.test(title));
  const names = mixed.map(({ name }) => shownName(String(name)));
  const foreign = { kind: 'foreign_letters' as const, tools: names.slice(0, 5), count: names.length };
  return [...toolFlaws(definitions), ...(names.length > 0 ? [foreign] : [])];
}
