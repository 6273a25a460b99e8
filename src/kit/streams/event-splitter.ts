/** Extracts the data of server-sent events from decoded text, with a limit on the size of an event. */
import { createParser } from 'eventsource-parser';
import { MarketError } from '../../domain/errors';

/** Splits decoded text into stream items. Throws `agent_error` for an item that is too long. */
export interface Splitter<T = string> {
  feed(text: string): T[];
  /** Returns items that were not terminated when the stream ended. */
  end(): T[];
}

/**
 * Returns the data of events whose name `wants` accepts (default: all). An event can have up to `maxLength`
 * characters. An event that is not terminated is returned too: a truncated one is not valid JSON, so truncation is
 * always detected.
 */
export function splitEvents(maxLength: number, wants: (name?: string) => boolean = () => true): Splitter {
  const { feed, end } = splitWholeEvents(maxLength);
  const wanted = (events: NamedEvent[]) => events.filter(({ event }) => wants(event)).map(({ data }) => data);
  return { feed: (text) => wanted(feed(text)), end: () => wanted(end()) };
}

/** Returns events with their fields, like `splitEvents`. `onRetry` receives the pauses that the server asks for. */
export function splitWholeEvents(maxLength: number, onRetry?: (ms: number) => void): Splitter<NamedEvent> {
  const split = splitNamedEvents(maxLength, tooLongItem, onRetry);
  const unix = unixLines();
  return { feed: (text) => split(unix(text)), end: () => split(`${unix('\n')}\n`) };
}

function tooLongItem(): Error {
  return new MarketError('agent_error', { cause: tooLongEvent() });
}

function tooLongEvent(): Error {
  return new Error('an event is too long');
}

/** A server-sent event with its fields. */
export interface NamedEvent {
  id?: string | undefined;
  event?: string | undefined;
  data: string;
}

/**
 * Returns a function that splits decoded text into whole events. It throws `tooLongError` for an event above
 * `maxLength` characters.
 */
export function splitNamedEvents(
  maxLength: number,
  tooLongError: () => Error = tooLongEvent,
  onRetry: (ms: number) => void = () => undefined,
): (text: string) => NamedEvent[] {
  let events: NamedEvent[] = [];
  let tooLong = false;
  const parser = createParser({
    maxBufferSize: maxLength,
    onEvent: (event) => void events.push(event),
    onRetry,
    onError: ({ type }) => void (tooLong ||= type === 'max-buffer-size-exceeded'),
  });
  return (text) => {
    parser.feed(text);
    if (tooLong) throw tooLongError();
    const found = events;
    events = [];
    return found;
  };
}

/** Converts line ends to LF, so that the parser does not search repeatedly for the other kinds. */
function unixLines(): (text: string) => string {
  let heldBack = '';
  return (text) => {
    const all = heldBack + text;
    heldBack = all.endsWith('\r') ? '\r' : '';
    return all.slice(0, all.length - heldBack.length).replaceAll(/\r\n?/g, '\n');
  };
}

/** Yields the items of a byte stream. Throws `agent_error` for bytes that are not UTF-8. */
export async function* decodedItems<T>(
  body: AsyncIterable<Buffer>,
  splitter: Splitter<T>,
): AsyncGenerator<T[], void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const bytes of body) yield splitter.feed(decoded(() => decoder.decode(bytes, { stream: true })));
  yield splitter.feed(decoded(() => decoder.decode()));
  yield splitter.end();
}

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch (cause) {
    throw new MarketError('agent_error', { cause });
  }
}
