/** Creates inputs that a schema refuses from valid ones, to test how an agent reacts to a caller's mistake. */
import type { InvalidInputFact } from '../../domain/verification/probe-facts';

type WrongInput = { input: InvalidInputFact['input']; text: string };

/** `accepts` tells whether the schema accepts an input. Kinds without a refused input are left out. */
export async function wrongInputs(
  valid: readonly string[],
  accepts: (input: string) => Promise<boolean>,
): Promise<WrongInput[]> {
  const [base] = valid;
  if (base === undefined) return [];
  const value = JSON.parse(base) as Record<string, unknown>;
  const names = Object.keys(value).slice(0, 8);
  const candidates: [InvalidInputFact['input'], unknown[]][] = [
    ['missing_field', names.map((name) => without(value, name))],
    ['wrong_type', names.map((name) => ({ ...value, [name]: { unexpected: [name] } }))],
  ];
  const found: WrongInput[] = [];
  for (const [input, made] of candidates) {
    for (const candidate of made) {
      const text = JSON.stringify(candidate);
      if (await accepts(text)) continue;
      found.push({ input, text });
      break;
    }
  }
  return [...found, { input: 'not_json', text: base.slice(0, -1) }];
}

function without(value: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}
