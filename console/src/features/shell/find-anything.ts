/** What ⌘K finds: pages by their names, the page that an id belongs to, and parts of ids among the newest of a list. */

export interface Hit {
  to: string;
  label: string;
  /** The kind of thing, such as "Page" or "Call". */
  kind: string;
}

const WORDS = /\s+/;

/** The pages whose names contain each word of the text, the one with exactly this name first; all for an empty text. */
export function pagesNamed(text: string, pages: readonly { to: string; label: string }[]): Hit[] {
  const wanted = text.trim().toLowerCase();
  const words = wanted.split(WORDS);
  const isExact = ({ label }: { label: string }) => Number(label.toLowerCase() === wanted);
  return pages
    .filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
    .sort((a, b) => isExact(b) - isExact(a))
    .map(({ to, label }) => ({ to, label, kind: 'Page' }));
}

const HEX = /^[0-9a-f]{32}$/;

/** The page of a whole id, for a person with this role; undefined for a text that is no id. */
export function pageOfId(text: string, role: string | undefined): Hit | undefined {
  const id = text.trim();
  const [prefix = '', rest = ''] = id.split(/_(.*)/);
  const own = role === 'operator' ? '/operator' : '';
  if (prefix === 'agt' && rest) return { to: `${own}/agents/${id}`, label: id, kind: 'Agent' };
  if (!HEX.test(rest)) return undefined;
  if (prefix === 'inv') return { to: `${own}/calls/${id}`, label: id, kind: 'Call' };
  if (prefix === 'dsp') return { to: `${own}/disputes/${id}`, label: id, kind: 'Dispute' };
  if (prefix === 'slh' && role !== 'buyer')
    return {
      to: `${role === 'operator' ? '/operator' : '/developer'}/slashes/${id}`,
      label: id,
      kind: 'Slash',
    };
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

const LEAST_OF_ID = 3;
/** So many of a kind are offered for the name of their agent; a part of an id names few. */
const MOST_BY_NAME = 3;

interface Belonging {
  id: string;
  /** What a person knows it by, such as the name of its agent. */
  about: string;
  to: string;
  kind: string;
}

/** The calls, disputes and agents, newest first, whose ids contain the text, or whose agents are named so. */
export function belongingsNamed(text: string, all: readonly Belonging[]): Hit[] {
  const wanted = text.trim().toLowerCase();
  if (wanted.length < LEAST_OF_ID) return [];
  const byId = all.filter(({ id }) => id.toLowerCase().includes(wanted) && id !== wanted);
  const byName = all.filter((one) => !byId.includes(one) && one.about.toLowerCase().includes(wanted));
  return [...byId, ...byName.slice(0, MOST_BY_NAME)].map(({ id, about, to, kind }) => ({
    to,
    label: id === about ? id : `${about} · ${short(id)}`,
    kind,
  }));
}

/** The end of a long id, by which a person tells it from others. */
const short = (id: string): string => (HEX.test(id.slice(-32)) ? `…${id.slice(-6)}` : id);
