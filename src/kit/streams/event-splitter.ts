/** Server-sent events out of the decoded text of a stream: only their data, never more than a limit of it at once. */
import { createParser } from 'eventsource-parser';
import { MarketError } from '../../domain/errors';

/** Finds the texts of a stream's items in its decoded text; throws `agent_error` for one that is too long. */
export interface Splitter {
  feed(text: string): string[];
  /** The items that were not ended before the stream was. */
  end(): string[];
}

/**
 * The data of the events whose name `wants` accepts (every one by default); an event may have `maxLength` characters.
 * An event that was not ended counts too: cut off in the middle it is not JSON, and nothing is lost unseen.
 */
export function splitEvents(maxLength: number, wants: (name?: string) => boolean = () => true): Splitter {
  let items: string[] = [];
  let tooLong = false;
  const parser = createParser({
    maxBufferSize: maxLength,
    onEvent: ({ event, data }) => void (wants(event) && items.push(data)),
    onError: ({ type }) => void (tooLong ||= type === 'max-buffer-size-exceeded'),
  });
  const unix = unixLines();
  const take = (text: string) => {
    parser.feed(text);
    if (tooLong) throw new MarketError('agent_error', { cause: new Error('an event is too long') });
    const found = items;
    items = [];
    return found;
  };
  return { feed: (text) => take(unix(text)), end: () => take(`${unix('\n')}\n`) };
}

/** One kind of line end, so that the parser never searches for the other one again and again. */
function unixLines(): (text: string) => string {
  let heldBack = '';
  return (text) => {
    const all = heldBack + text;
    heldBack = all.endsWith('\r') ? '\r' : '';
    return all.slice(0, all.length - heldBack.length).replaceAll(/\r\n?/g, '\n');
  };
}

/** The items of a stream as its bytes come; throws `agent_error` for bytes that are not UTF-8. */
export async function* decodedItems(
  body: AsyncIterable<Buffer>,
  splitter: Splitter,
): AsyncGenerator<string[], void, undefined> {
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
