import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get, type ItemOf } from '../../client/queries';
import { formatCredits, shownText } from '../../ui/format';
import { isolated } from '../../ui/isolated';
import { AppLink } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Written } from '../../ui/written';

export type Line = ItemOf<'/v1/billing/ledger'>;

/** What the lines that are shown add up to. */
export function Sum({ rows, total }: { rows: readonly Line[]; total: number | undefined }) {
  const sumOf = (sign: 1 | -1) =>
    rows.reduce((sum, { credits }) => (Math.sign(credits) === sign ? sum + credits : sum), 0);
  return (
    <>
      {shownText(rows.length, total)} {rows.length === 1 ? 'movement' : 'movements'} shown:{' '}
      {formatCredits(sumOf(1))} credits in, {formatCredits(-sumOf(-1))} out.
    </>
  );
}

interface Named {
  value: string;
  label: string;
}

/** The text of a line with the name of its agent for the id. */
const named = (text: string, { id, name }: { id: string | undefined; name: string | undefined }) =>
  id === undefined || name === undefined ? text : text.replace(id, () => isolated(name));

/** What moved; a call shows the parts of its charge on demand. */
export function What({ line, agents }: { line: Line; agents: readonly Named[] }) {
  const [open, setOpen] = useState(false);
  const { invocation_id: id, agent_id: agent } = line;
  const name = agents.find(({ value }) => value === agent)?.label;
  const description = named(line.description, { id: agent, name });
  if (id === undefined) return <Written>{description}</Written>;
  return (
    <div>
      <AppLink to={`/calls/${id}`}>
        <Written>{description}</Written>
      </AppLink>
      <details className="details" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Parts</summary>
        {open && <Parts id={id} />}
      </details>
    </div>
  );
}

function Parts({ id }: { id: string }) {
  const parts = useQuery(get('/v1/billing/ledger', { query: { invocation_id: id } }));
  if (!parts.data) return null;
  return (
    <ul className="problems">
      {[...parts.data.items].reverse().map((part) => (
        <li key={part.transaction_id + part.entry_type}>
          {part.description.split(':')[0]}: <Credits value={part.credits} signed />
        </li>
      ))}
    </ul>
  );
}
