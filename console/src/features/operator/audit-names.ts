/** What each action of the audit log did, in plain words. */
export const AUDIT_NAMES: Readonly<Record<string, string>> = {
  'advisory.import': 'Imported advisories',
  'agent.reinstate': 'Reinstated an agent',
  'agent.suspend': 'Suspended an agent',
  'dispute.resolve': 'Decided a dispute',
  'exchange_rate.load': 'Loaded an exchange rate',
  'fee.change': 'Changed the fee of the platform',
  'finding.refuse_contest': 'Refused the contest of a finding',
  'finding.revoke_waiver': 'Ended a waiver',
  'finding.waive': 'Waived a finding',
  'ledger.detach': 'Detached a month of the ledger',
  'master_key.rotate': 'Replaced the master key',
  'operator.grant': 'Made an account an operator',
  'operator.revoke': 'Ended an account as operator',
  'payment.resolve': 'Decided a quarantined payment',
  'payout.retry': 'Tried a payout again',
  'payout.return': 'Gave a payout back',
  'payout.settle': 'Settled a payout',
  'rubric.publish': 'Published a rubric',
  'rubric.withdraw': 'Withdrew a rubric',
  'signing_key.rotate': 'Replaced the signing key',
  'slash.apply': 'Slashed a bond',
  'slash.resolve': 'Decided a slash',
  'tax_form.review': 'Reviewed a tax form',
  'wallet.freeze': 'Froze a wallet',
  'wallet.unfreeze': 'Unfroze a wallet',
  'workflow.fast_forward': 'Moved the clock of a workflow',
};

export const auditName = (action: string): string => AUDIT_NAMES[action] ?? action;

/** The page of what an action was about, by its id; undefined where there is none. */
export function addressOfSubject(subject: string): string | undefined {
  const pages: Record<string, string> = {
    agt: '/operator/agents',
    dsp: '/operator/disputes',
    inv: '/operator/calls',
    slh: '/operator/slashes',
    usr: '/operator/accounts',
  };
  const page = pages[subject.split('_', 1)[0] ?? ''];
  return page === undefined ? undefined : `${page}/${subject}`;
}
