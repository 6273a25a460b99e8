import { AppLink } from '../../ui/link';
import { Support } from '../../ui/support';

interface RemedyText {
  text: string;
  link?: { to: string; label: string };
  /** Says whom to write to. */
  asksSupport?: true;
}

/** What a developer does about each reason for which search leaves an agent out. */
const REMEDIES: Readonly<Record<string, RemedyText>> = {
  not_verified: {
    text: 'Follow the verification below. If it failed, correct what its findings name, and publish the next version.',
    link: { to: '/developer/publish', label: 'Publish' },
  },
  critical_finding: {
    text: 'Follow the remedy of each critical finding below and publish the next version, or contest the finding.',
    link: { to: '/developer/publish', label: 'Publish' },
  },
  bond_shortfall: { text: 'Deposit what is missing.', link: { to: '/developer/bond', label: 'Bond' } },
  registration_unpaid: { text: 'Pay the fee once.', link: { to: '/developer', label: 'Overview' } },
  retired: { text: 'This is for good. Publish the agent under another name to sell it again.' },
  suspended: {
    text: 'Calls are refused meanwhile. Correct what the operator names, publish the next version if it needs one, and ask the operator to reinstate the agent.',
    asksSupport: true,
  },
};

/** What to do about a reason, with the way there; nothing for a reason that the console does not know. */
export function Remedy({ code }: { code: string }) {
  const remedy = REMEDIES[code];
  if (!remedy) return null;
  return (
    <>
      {' '}
      {remedy.text} {remedy.asksSupport && <Support />}
      {remedy.link && (
        <AppLink to={remedy.link.to} underline="always">
          {remedy.link.label}
        </AppLink>
      )}
    </>
  );
}
