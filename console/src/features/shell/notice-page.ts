/** The page of what a notice is about; undefined for none. */
export function pageOfNotice({ type, subject_id: id }: { type: string; subject_id: string | null }) {
  if (type.startsWith('wallet.') || type.startsWith('topup.') || id?.startsWith('bgt_')) return '/wallet';
  if (type.startsWith('login.')) return '/account';
  if (type.startsWith('grant.') || id?.startsWith('key_')) return '/keys';
  if (type === 'payout.waiting' || type.startsWith('tax_form.')) return '/developer';
  if (type === 'access.requested' || type === 'access.refused') return '/access';
  if (id === null) return undefined;
  if (/^(price|access\.granted)/.test(type)) return `/agents/${id}`;
  if (id.startsWith('dsp_')) return `/disputes/${id}`;
  if (id.startsWith('slh_')) return `/developer/slashes/${id}`;
  if (id.startsWith('pay_')) return `/developer/payouts/${id}`;
  if (id.startsWith('whk_')) return `/webhooks/${id}`;
  return id.startsWith('agt_') ? `/developer/agents/${id}` : undefined;
}
