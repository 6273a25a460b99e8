/** The form of an agent of the corpora: its manifest, and a function from inputs to answers. */
import type { TestManifestOptions } from '../../support/agents/manifest';
import type { Behaviour } from '../../support/agents/behaviours';
import { type TestAgent, startAgent } from '../../support/agents/test-agent';

type Input = Record<string, unknown>;

/** What an agent remembers between its calls. */
export interface Memory {
  /** Calls before this one. */
  calls: number;
  /** Inputs of earlier calls, as JSON. */
  inputs: string[];
  /** True when the agent has been told that buyers call it now; only some bad agents look. */
  isSold: boolean;
  /** Milliseconds since the first call. */
  ageMs: number;
  /** Headers of this call. */
  headers: Record<string, unknown>;
}

export interface CorpusAnswer {
  status?: number;
  output: unknown;
  delayMs?: number;
  /** Instead of the members above. */
  behaviour?: Behaviour;
}

export interface CorpusAgent {
  name: string;
  /** What is good or bad about it. */
  kind: string;
  manifest: TestManifestOptions & { more?: Record<string, unknown> };
  answer(input: Input, memory: Memory): CorpusAnswer;
  /** The input of a buyer's call; default: the first example, or a sentence. */
  buyerInput?: Input;
}

export interface RunningAgent extends TestAgent {
  /** Begins the time in which buyers call. */
  sell(): void;
}

/** Starts an agent of a corpus as an HTTPS server. */
export async function startCorpusAgent({ answer }: CorpusAgent, host?: string): Promise<RunningAgent> {
  const memory: Memory = { calls: 0, inputs: [], isSold: false, ageMs: 0, headers: {} };
  let firstAt = 0;
  const agent = await startAgent({
    ...(host !== undefined && { host }),
    keepBodies: false,
    behaviour: ({ body, headers }) => {
      const text = body.toString();
      firstAt ||= Date.now();
      memory.ageMs = Date.now() - firstAt;
      memory.headers = headers;
      let answered: CorpusAnswer;
      try {
        answered = answer(JSON.parse(text) as Input, memory);
      } catch {
        answered = { status: 400, output: { error: 'the input is not valid' } };
      }
      memory.calls += 1;
      memory.inputs.push(text);
      const { output, status = 200, delayMs = 0, behaviour } = answered;
      if (behaviour) return behaviour;
      const reply = { kind: 'answer', output, status } as const;
      return delayMs > 0 ? { kind: 'slow', ms: delayMs, then: reply } : reply;
    },
  });
  return { ...agent, sell: () => void (memory.isSold = true) };
}

/** A schema of an object whose members are all required. */
export function object(properties: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return {
    type: 'object',
    required: Object.keys(properties),
    properties,
    additionalProperties: false,
    ...more,
  };
}

export const TEXT = object({ text: { type: 'string' } });
export const text = (input: Input): string => String(input['text']);

/** An answer that refuses the input with a status. */
export function refused(status: number, error: string): CorpusAnswer {
  return { status, output: { error } };
}

/** An agent of a corpus in short: fields that it takes and gives, what a buyer sends, and how it answers. */
interface Made {
  kind: string;
  takes: Record<string, unknown>;
  gives: Record<string, unknown>;
  more?: Record<string, unknown>;
  buyer: Input;
  work: (input: Input, memory: Memory) => CorpusAnswer;
}

/** Makes an agent that refuses inputs whose fields have other types with 422. */
export function made(name: string, { kind, takes, gives, more, buyer, work }: Made): CorpusAgent {
  return {
    name,
    kind,
    manifest: { inputSchema: object(takes), outputSchema: object(gives), ...(more && { more }) },
    answer: (input, memory) => {
      const isWrong = Object.entries(takes).some(([field, schema]) => {
        const { type } = schema as { type?: string };
        return type === 'array' ? !Array.isArray(input[field]) : typeof input[field] !== type;
      });
      return isWrong ? refused(422, 'invalid') : work(input, memory);
    },
    buyerInput: buyer,
  };
}
