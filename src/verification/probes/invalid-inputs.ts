/** Inputs that a schema refuses, made from valid ones: what an agent does when its caller errs. */
import type { InvalidInputFact } from '../../domain/verification/probe-facts';

type WrongInput = { input: InvalidInputFact['input']; text: string };

/** `accepts` tells whether the schema takes an input; kinds for which no refused input is found are left out. */
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
