import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { asOwner, mayDo, organisationName, type Permission, type Profile } from '../client/owner';
import { sessionQuery } from '../client/session';
import { isolated } from './isolated';

/** The account for which the page acts; null for a visitor, undefined until it is known. */
export function useOwner(): Profile | null | undefined {
  const profile = useQuery(sessionQuery).data;
  return profile && asOwner(profile);
}

/** Whether the person may do this for the owner of the page. Visitors may, because a login comes first. */
export const useMay = (permission: Permission): boolean => mayDo(useQuery(sessionQuery).data, permission);

interface OwnerWords {
  /** "your wallet", or "the wallet of ACME"; and as the beginning of a sentence. */
  wallet: string;
  Wallet: string;
  /** Behind the words of a button: "" for a person, who has one wallet, or " from the wallet of ACME". */
  fromWallet: string;
  toWallet: string;
  /** "" or " of ACME". */
  of: string;
}

/** What buttons that spend or move money say about whose money it is. */
export function useOwnerWords(): OwnerWords {
  const name = organisationName(useQuery(sessionQuery).data);
  if (name === undefined)
    return { wallet: 'your wallet', Wallet: 'Your wallet', fromWallet: '', toWallet: '', of: '' };
  const of = ` of ${isolated(name)}`;
  return {
    wallet: `the wallet${of}`,
    Wallet: `The wallet${of}`,
    fromWallet: ` from the wallet${of}`,
    toWallet: ` into the wallet${of}`,
    of,
  };
}

/** What members may do by each permission, as the end of "Your role … may not". */
const WORDS: Record<Permission, string> = {
  view: 'see this',
  viewMoney: 'see movements of money',
  call: 'call agents or open disputes',
  keys: 'make or change API keys',
  agents: 'publish agents or answer for them',
  webhooks: 'change webhooks',
  mandates: 'change mandates',
  money: 'move money or set its limits',
  payout: 'change how it is paid',
  settings: 'change its settings',
  members: 'change its members',
  limits: 'set budgets of members or rules of calls',
  audit: 'read its log',
  own: 'change its name or how members log in',
};

interface PermittedProps {
  needs: Permission;
  /** Nothing in place of the action, where the page says why elsewhere. */
  quiet?: boolean;
  children: ReactNode;
}

/** An action for those whose role permits it. Others read why it is not offered. */
export function Permitted({ needs, quiet = false, children }: PermittedProps) {
  const profile = useQuery(sessionQuery).data;
  if (mayDo(profile, needs)) return <>{children}</>;
  return quiet ? null : <NotPermitted needs={needs} />;
}

/** Why the page does not offer something for the organisation for which it acts. */
export function NotPermitted({ needs }: { needs: Permission }) {
  const acting = useQuery(sessionQuery).data?.acting_for;
  if (!acting) return null;
  return (
    <Refusal
      needs={needs}
      name={acting.account?.name ?? 'the organisation'}
      role={acting.member_role ?? 'former member'}
    />
  );
}

/** Why something is not offered to a member of an organisation with this role. */
export function Refusal({ needs, name, role }: { needs: Permission; name: string; role: string }) {
  return (
    <Text fz="sm" c="dimmed" className="pretty" maw={420}>
      As {role} of {isolated(name)}, you may not {WORDS[needs]}. Ask an owner for it.
    </Text>
  );
}
