/** What of an MCP server does not pass to buyers, as observations. They cost nothing: its other tools work. */
import { TOOL_FLAWS, type ToolFlawKind } from '../../domain/catalogue/tools/tool-flaws';
import type { UnpassedFact, UnpassedFeature } from '../../domain/jobs/unpassed';
import { CLEAN_LOOKS } from '../../domain/verification/behaviour';
import type { BehaviourFacts, DynamicEvidence } from '../../domain/verification/probe-facts';
import { listed, type Observation } from './observations';

interface Words {
  /** Goes on from who does it. */
  what: (names: string) => string;
  fix: string;
}

const AS_ARGUMENTS = 'Let the tool take what it needs as arguments.';

const WORDS: Record<UnpassedFeature, Words> = {
  sampling: {
    what: () => 'asked its client for a sample of a model (sampling/createMessage)',
    fix: 'Use a model of your own in the server, or leave out the tools that need one of their client.',
  },
  roots: { what: () => 'asked for folders of its user (roots/list)', fix: AS_ARGUMENTS },
  page: {
    what: () => 'asked its user to open a page (elicitation/create of mode url)',
    fix: `Ask by a form, which passes. ${AS_ARGUMENTS}`,
  },
  secret: {
    what: () => 'asked its user for a secret by a form (elicitation/create)',
    fix: 'Leave the field out. What your server needs for its own services belongs to its own configuration.',
  },
  form: {
    what: () => 'asked its user by a form that MCP does not allow (elicitation/create)',
    fix: 'Use a schema of type object whose fields are texts, numbers, truth values or choices.',
  },
  other: {
    what: () => 'asked its client for something else than a form',
    fix: `Leave out the tools that need it. ${AS_ARGUMENTS}`,
  },
  tasks: {
    what: (names) => `answers calls of ${names} by tasks alone (execution.taskSupport), and declares no jobs`,
    fix: 'Declare capabilities.jobs in the registration, or set taskSupport of these tools to "optional".',
  },
  subscriptions: {
    what: (names) => `offers subscriptions (${names})`,
    fix: 'Nothing needs to be done if buyers can read the resources again, or call a tool.',
  },
  experimental: {
    what: (names) => `declares experimental capabilities (${names})`,
    fix: 'Offer what buyers need by tools, resources or prompts.',
  },
  extensions: {
    what: (names) => `declares extensions (${names})`,
    fix: 'Offer what buyers need by tools, resources or prompts.',
  },
};

const SEEN: Record<UnpassedFact['seen'], string> = {
  calls: 'In a call of a buyer, the MCP server',
  listing: 'While it listed its tools, the MCP server',
  declared: 'The MCP server',
};

/** One finding for each feature. */
export function observeTools(tools: DynamicEvidence['tools']): Observation[] {
  return (tools?.unpassed ?? []).map(({ what, seen, names, count }) => {
    const words = WORDS[what];
    const text = `${SEEN[seen]} ${words.what(listed(names, count))}`;
    return { rule: 'unpassed_feature', subject: what, details: { what: text, fix: words.fix } };
  });
}

/** Flaws of names alone can be an accident; the others speak to the model that reads the definition. */
const POISON: ReadonlySet<ToolFlawKind> = new Set([
  'hidden_instructions',
  'invisible_characters',
  'overrides_tools',
  'takes_secrets',
]);

/** One finding for each kind of flaw that speaks to the reading model, with the names of the tools. */
export function observeDefinitions(tools: DynamicEvidence['tools']): Observation[] {
  return (tools?.flaws ?? [])
    .filter(({ kind }) => POISON.has(kind))
    .map(({ kind, tools: names, count }) => {
      const { what, fix } = TOOL_FLAWS[kind];
      const details = { tools: listed(names, count), what, fix };
      return { rule: 'poisoned_tool', subject: kind, details };
    });
}

/** Findings of earlier runs that re-probes have not cleared, unless this run sees them again. */
export function observeUncleared(
  { uncleared = [] }: BehaviourFacts,
  seen: readonly Observation[],
): Observation[] {
  return uncleared
    .filter(({ rule }) => !seen.some((observation) => observation.rule === rule))
    .map(({ rule, clean }) => {
      const details = { rule: rule.replaceAll('_', ' '), clean, needed: CLEAN_LOOKS };
      return { rule: 'uncleared_finding', subject: rule, details };
    });
}
