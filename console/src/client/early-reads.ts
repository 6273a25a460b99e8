/** Answers that are asked for before the code that shows them is loaded. */
const answers = new Map<string, Promise<Response>>();
/** An answer that nothing has taken by then is old. */
const FRESH_MS = 10_000;

/** Asks for `address` now. The first read of it takes the answer. */
export function readEarly(address: string): void {
  const answer = fetch(address, { credentials: 'same-origin' });
  performance.mark(`early read: ${address}`);
  answers.set(address, answer);
  const forget = () => answers.get(address) === answer && answers.delete(address);
  // A read that fails is asked for again by the page, which shows the failure.
  answer.then(() => setTimeout(forget, FRESH_MS), forget);
}

/** The answer for `address`, for one reader; undefined if none was asked for. */
export function takeEarlyRead(address: string): Promise<Response> | undefined {
  const answer = answers.get(address);
  if (answer) performance.mark(`early read taken: ${address}`);
  answers.delete(address);
  return answer;
}

/** Forgets all answers, because something changes. */
export function forgetEarlyReads(): void {
  answers.clear();
}
