/**
 * Reads the daily reference rates of the European Central Bank (`eurofxref-daily.xml`) strictly and in one pass:
 * well-formed elements, attributes and text, exactly one day, each currency once. Constructs that the document never
 * uses (document type, entities, comments, CDATA, processing instructions) are refused, so that the document has only
 * one interpretation.
 */
export interface EcbRates {
  /** `YYYY-MM-DD`. */
  date: string;
  /** Units of each currency per euro, as written in the document. */
  rates: ReadonlyMap<string, string>;
}

interface Element {
  /** Element names from the root, such as `gesmes:Envelope/Cube/Cube`. */
  path: string;
  attributes: ReadonlyMap<string, string>;
}

const NAMESPACE = 'http://www.ecb.int/vocabulary/2002-08-01/eurofxref';
const ROOT = 'gesmes:Envelope';
const DAY = `${ROOT}/Cube/Cube`;
const MAX_DEPTH = 8;
const DECLARATION =
  /^<\?xml version=["']1\.0["'](?: encoding=["']UTF-8["'])?(?: standalone=["'](?:yes|no)["'])?\s*\?>/i;
const TAG = /<(\/?)([A-Za-z:]{1,40})((?:\s+[A-Za-z:]{1,40}\s?=\s?(?:"[^"<&]*"|'[^'<&]*'))*)\s*(\/?)>/y;
const ATTRIBUTE = /([A-Za-z:]{1,40})\s?=\s?(?:"([^"]*)"|'([^']*)')/g;

/** Reads the document. Throws `Error` with a message that contains no text of the document. */
export function readEcbRates(text: string): EcbRates {
  const rates = new Map<string, string>();
  let date: string | undefined;
  let isFirst = true;
  for (const { path, attributes } of elementsOf(text)) {
    if (isFirst && (path !== ROOT || attributes.get('xmlns') !== NAMESPACE))
      throw new Error('the document is not in the format of the ECB reference rates');
    isFirst = false;
    if (path === DAY) {
      if (date !== undefined) throw new Error('the document has more than one day');
      date = attributes.get('time') ?? '';
    }
    if (path !== `${DAY}/Cube`) continue;
    const currency = attributes.get('currency') ?? '';
    if (rates.has(currency)) throw new Error('a currency appears twice');
    rates.set(currency, attributes.get('rate') ?? '');
  }
  if (date === undefined) throw new Error('the document has no day');
  return { date, rates };
}

function* elementsOf(text: string): Generator<Element> {
  const open: string[] = [];
  let at = DECLARATION.exec(text)?.[0].length ?? 0;
  let isOver = false;
  for (;;) {
    const next = text.indexOf('<', at);
    const between = next < 0 ? text.slice(at) : text.slice(at, next);
    if (between.includes('&') || (open.length === 0 && between.trim() !== ''))
      throw new Error('the document has unexpected text');
    if (next < 0) break;
    TAG.lastIndex = next;
    const [tag, slash, name = '', attributes = '', selfClosing] = TAG.exec(text) ?? [];
    if (tag === undefined || isOver) throw new Error('the document is not well-formed');
    at = next + tag.length;
    if (slash) {
      if (attributes !== '' || selfClosing || open.pop() !== name)
        throw new Error('the document is not well-formed');
    } else {
      open.push(name);
      if (open.length > MAX_DEPTH) throw new Error(`the document is nested deeper than ${MAX_DEPTH} levels`);
      yield { path: open.join('/'), attributes: attributesOf(attributes) };
      if (selfClosing) open.pop();
    }
    isOver = open.length === 0;
  }
  if (!isOver) throw new Error('the document is not well-formed');
}

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single = ''] of text.matchAll(ATTRIBUTE)) {
    if (attributes.has(name)) throw new Error('the document is not well-formed');
    attributes.set(name, double ?? single);
  }
  return attributes;
}
