import { Modal, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type KeyboardEvent } from 'react';
import { get } from '../../client/queries';
import type { Profile } from '../../client/session';
import { formatCode } from '../../ui/format';
import { addressOfFound } from '../operator/found';
import { useBelongings } from './use-belongings';
import { invoicesNamed, pageOfId, pagesNamed, type Hit } from './find-anything';
import { navigationOf } from './navigation';

const TYPED_MS = 200;
const MOST = 12;
const LEAST = 2;

interface PaletteProps {
  opened: boolean;
  onClose: () => void;
  profile: Profile | null | undefined;
}

/**
 * One field for everything: pages, agents, calls, invoices and, for operators, accounts. Arrows choose, Enter opens.
 */
export function CommandPalette({ opened, onClose, profile }: PaletteProps) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [place, setPlace] = useState(0);
  const hits = useHits(text, profile);
  const chosen = Math.min(place, hits.length - 1);
  const [goes, setGoes] = useState(false);
  const close = () => {
    setText('');
    setPlace(0);
    onClose();
  };
  const open = (hit: Hit | undefined) => {
    if (!hit) return;
    setGoes(true);
    close();
    void navigate({ to: hit.to });
  };
  const move = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      setPlace((chosen + by + hits.length) % Math.max(1, hits.length));
    }
    if (event.key === 'Enter') open(hits[chosen]);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      withCloseButton={false}
      returnFocus={!goes}
      padding="sm"
      size="lg"
      title={undefined}
    >
      <TextInput
        aria-label="Go to a page, an agent, a call or an invoice"
        placeholder="Go to a page, an agent, a call or an invoice"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setGoes(false);
          setPlace(0);
        }}
        onKeyDown={move}
        role="combobox"
        aria-expanded
        aria-controls="palette-hits"
        aria-activedescendant={hits.length > 0 ? `palette-hit-${chosen}` : undefined}
        autoComplete="off"
        data-autofocus
      />
      <div id="palette-hits" role="listbox" aria-label="Found" className="palette">
        {hits.map((hit, index) => (
          <UnstyledButton
            key={`${hit.kind} ${hit.to} ${hit.label}`}
            id={`palette-hit-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className="palette-hit"
            onClick={() => open(hit)}
          >
            <bdi className="anywhere">{hit.label}</bdi>
            <Text span fz="xs" c="dimmed" className="fixed">
              {hit.kind}
            </Text>
          </UnstyledButton>
        ))}
      </div>
      {hits.length === 0 && (
        <Text fz="sm" c="dimmed" p="sm" role="status">
          Nothing found.
        </Text>
      )}
    </Modal>
  );
}

/** What the text finds: pages and ids at once, and what the API knows a moment later. */
function useHits(text: string, profile: Profile | null | undefined): Hit[] {
  const [wanted] = useDebouncedValue(text.trim(), TYPED_MS);
  const isAsked = wanted.length >= LEAST;
  const isOperator = profile?.role === 'operator';
  const agents = useQuery({
    ...get('/v1/listings', { query: { q: wanted, limit: 6 } }),
    enabled: isAsked,
    retry: false,
  });
  const invoices = useQuery({
    ...get('/v1/billing/invoices', { query: { limit: 100 } }),
    enabled: isAsked && Boolean(profile) && !isOperator,
  });
  const found = useQuery({
    ...get('/v1/operator/lookup', { query: { q: wanted } }),
    enabled: isAsked && isOperator,
  });
  const belongings = useBelongings(wanted, profile, isAsked);
  const pages = navigationOf(profile).flatMap(({ items }) => items);
  const byId = pageOfId(text, profile?.role);
  return [
    ...(byId ? [byId] : []),
    ...pagesNamed(text, pages),
    ...(isAsked ? (agents.data?.items ?? []) : []).map((one) => ({
      to: `/agents/${one.agent_id}`,
      label: one.display_name,
      kind: 'Agent',
    })),
    ...belongings,
    ...invoicesNamed(wanted, invoices.data?.items ?? []),
    ...(isAsked ? (found.data?.items ?? []) : []).map((one) => ({
      to: addressOfFound(one),
      label: one.title,
      kind: formatCode(one.kind),
    })),
  ].slice(0, MOST);
}
