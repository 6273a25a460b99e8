/** Chooses the inputs of a run: the owner's examples, and inputs made from the schema with the seed of the run. */
import { asRecord } from '../../../domain/json-value';
import { CONFORMANCE_CALLS } from '../../../domain/verification/verification';
import type { SchemaPool } from '../../../kit/schemas/schema-pool';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import type { LivePlan } from '../../../verification/probes/live-plan';
import type { LiveDeps } from '../../../verification/probes/live-testing';
import { BLANK_INPUT } from '../../../verification/probes/reachability-probe';
import { shuffled } from '../../../verification/probes/red-team';
import { sentence, withSentence } from '../../../verification/probes/text-fields';
import { MAX_ANSWER_BYTES } from '../../calls/agent/agent-answer';

interface PlanDeps {
  schemas: Pick<SchemaPool, 'sample'>;
}

/** Inputs that are made, so that refused ones can be replaced. */
const MADE_INPUTS = 22;
/** Ordinary inputs of the red team, and those of them that replace refused ones. */
const BASELINE_CALLS = 3;
const BASELINE_INPUTS = 6;
/** Whole examples of the manifest that a run sends. */
const MOST_EXAMPLES = 6;
/** A typical input for an agent without a schema. */
const TEXT_INPUT = '{"input":"Hello, what can you do for me?"}';

/** The inputs of a run: the owner's examples, and inputs made from the schema with the seed of the run. */
async function inputsOf(deps: PlanDeps, version: ServingVersion, seed: number, random: () => number) {
  if (version.inputSchema === null) return { examples: [], made: [] };
  const examples = examplesOf(version);
  const known = new Set(examples.map(({ text }) => text));
  const count = known.size + MADE_INPUTS;
  const sampled = await deps.schemas.sample(version.inputSchema, {
    count,
    seed,
    developer: version.developerUserId,
  });
  const made = shuffled(
    sampled.filter((text) => !known.has(text)),
    random,
  );
  return { examples, made };
}

/** The plan of a run, without invalid inputs. */
export async function planOf(
  deps: PlanDeps,
  version: ServingVersion,
  calls: Pick<LiveDeps, 'accepts'> & { random(): number },
  seed: number,
) {
  const { examples, made } = await inputsOf(deps, version, seed, calls.random);
  const spoken: string[] = [];
  for (const text of made) {
    const natural = withSentence(text, sentence(calls.random));
    spoken.push(natural !== undefined && (await calls.accepts(natural)) ? natural : text);
  }
  const hasSchema = version.inputSchema !== null;
  const { timeoutMs, idempotent, streaming, inputRole: role } = version;
  const hasText = [...examples.map(({ text }) => text), ...made].some(
    (text) => withSentence(text, 'x') !== undefined,
  );
  const sent = shuffled(examples, calls.random).slice(0, MOST_EXAMPLES);
  const { made: own, baseline } = apart(
    spoken,
    sent.map(({ text }) => text),
  );
  return {
    examples: sent,
    made: hasSchema ? own : [BLANK_INPUT],
    baseline: hasSchema ? baseline : [BLANK_INPUT],
    mostBaseline: BASELINE_CALLS,
    salt: String(seed),
    attackInputs: hasSchema ? [] : [TEXT_INPUT],
    wanted: hasSchema ? CONFORMANCE_CALLS : 1,
    gap: hasSchema ? 'no_inputs' : 'no_input_schema',
    invalid: [],
    invalidWanted: 0,
    timeoutMs,
    limitBytes: MAX_ANSWER_BYTES,
    idempotent: idempotent && hasSchema,
    streaming: streaming && hasSchema,
    role,
    writesPrompts: writesPrompts(version),
    writesMarkup: writesMarkup(version),
    ownHosts: [],
    hasText,
  } satisfies LivePlan;
}

/**
 * Gives the red team ordinary inputs of its own, so that neither stage repeats one of the other: an example, whose
 * answer is sure, then made ones. With few inputs, both send the same.
 */
function apart(made: readonly string[], examples: readonly string[]) {
  const isRich = made.length >= CONFORMANCE_CALLS + BASELINE_INPUTS;
  const inputs = isRich ? made.slice(-BASELINE_INPUTS) : made;
  const baseline = [...examples.slice(0, 1), ...inputs, ...examples.slice(1)];
  return { made: isRich ? made.slice(0, -BASELINE_INPUTS) : made, baseline };
}

const PROMPT_WORDS = /\b(?:prompts?|personas?|role-?play\w{0,40}|system messages?|jailbreaks?)\b/i;
const PROMPT_FIELD = /^(?:.*_)?(?:prompt|instruction|persona)s?$/i;

/** True when the manifest says that answers contain instructions for models. */
export function writesPrompts({ displayName, description, outputSchema }: ServingVersion): boolean {
  const fields = Object.keys(asRecord(asRecord(JSON.parse(outputSchema ?? '{}'))['properties']));
  return PROMPT_WORDS.test(`${displayName} ${description}`) || fields.some((name) => PROMPT_FIELD.test(name));
}

const MARKUP_WORDS =
  /\b(?:html|svg|xml|css|javascript|typescript|web ?(?:pages?|sites?)|landing pages?|markup|code|snippets?|programs?|widgets?|components?|templates?)\b/i;
const MARKUP_FIELD =
  /^(?:.*_)?(?:html|svg|xml|css|code|markup|source|snippet|script|page_source|diff|patch)$/i;

/** True when the manifest says that answers contain markup or code. */
export function writesMarkup({ displayName, description, outputSchema }: ServingVersion): boolean {
  const fields = Object.keys(asRecord(asRecord(JSON.parse(outputSchema ?? '{}'))['properties']));
  return MARKUP_WORDS.test(`${displayName} ${description}`) || fields.some((name) => MARKUP_FIELD.test(name));
}

/** The owner's examples: those of the manifest, with expected outputs, and those of the input schema. */
function examplesOf({ inputSchema, examples }: ServingVersion): LivePlan['examples'] {
  const { examples: listed } = asRecord(JSON.parse(inputSchema ?? '{}'));
  const ofSchema = (Array.isArray(listed) ? (listed as unknown[]) : []).map((value) => ({
    text: JSON.stringify(value),
    expected: null,
  }));
  const own = examples.map(({ input, output, match = 'exact', tolerance = 0 }) => ({
    text: JSON.stringify(input),
    expected: output === undefined ? null : { output, match, tolerance },
  }));
  const texts = new Set(own.map(({ text }) => text));
  return [...own, ...ofSchema.filter(({ text }) => !texts.has(text))];
}
