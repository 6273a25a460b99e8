/** What ⌘K finds without asking the API: pages by their names, and the page that an id belongs to. */

export interface Hit {
  to: string;
  label: string;
  /** The kind of thing, such as "Page" or "Call". */
  kind: string;
}

const WORDS = /\s+/;

/** The pages whose names contain each word of the text; all pages for an empty text. */
export function pagesNamed(text: string, pages: readonly { to: string; label: string }[]): Hit[] {
  const words = text.trim().toLowerCase().split(WORDS);
  return pages
    .filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
    .map(({ to, label }) => ({ to, label, kind: 'Page' }));
}

const HEX = /^[0-9a-f]{32}$/;

/** The page of a whole id, for a person with this role; undefined for a text that is no id. */
export function pageOfId(text: string, role: string | undefined): Hit | undefined {
  const id = text.trim();
  const [prefix = '', rest = ''] = id.split(/_(.*)/);
  if (prefix === 'agt' && rest) return { to: `/agents/${id}`, label: id, kind: 'Agent' };
  if (!HEX.test(rest)) return undefined;
  const own = role === 'operator' ? '/operator' : '';
  if (prefix === 'inv') return { to: `${own}/calls/${id}`, label: id, kind: 'Call' };
  if (prefix === 'dsp') return { to: `${own}/disputes/${id}`, label: id, kind: 'Dispute' };
  if (prefix === 'usr' && role === 'operator')
    return { to: `/operator/accounts/${id}`, label: id, kind: 'Account' };
  return undefined;
}

interface Invoice {
  number: string;
  invoice_id: string;
}

/** The invoices whose numbers contain the text. */
export function invoicesNamed(text: string, invoices: readonly Invoice[]): Hit[] {
  const wanted = text.trim().toLowerCase();
  return wanted.length < 2
    ? []
    : invoices
        .filter(({ number }) => number.toLowerCase().includes(wanted))
        .map(({ number }) => ({ to: '/wallet', label: number, kind: 'Invoice' }));
}
