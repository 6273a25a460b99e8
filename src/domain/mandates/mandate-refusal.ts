/** Why a mandate does not pay for a call that its signatures permit: the reasons of `mandate_judge`, in sentences. */
export type MandateReason =
  'key_removed' | 'content_changed' | 'revoked' | 'proof_used' | 'per_call' | 'budget' | 'occurrences';

const SENTENCES: Record<MandateReason, string> = {
  key_removed: 'The issuer has removed the key that signed the mandate. The issuer must sign a new one.',
  content_changed:
    'A mandate with the same jti and other content was used before. The budget and the other limits of a mandate cannot be changed: sign a new mandate with a new jti.',
  revoked: 'The mandate was revoked.',
  proof_used: 'The proof was used for another call. Sign a proof with a new jti for each call.',
  per_call:
    'The mandate or its proof allows less for one call. Sign a proof with higher max_credits, within the market.credits_per_call of the mandate.',
  budget: 'The issuer must sign a new mandate.',
  occurrences:
    'The mandate has no calls left: all its max_occurrences are used. The issuer must sign a new mandate.',
};

/** The sentence for a reason, after the amounts if they matter. Amounts are texts such as `5 credits`. */
export function mandateRefusal(reason: MandateReason, needed: string, left: string | null): string {
  const sentence = SENTENCES[reason];
  if (reason === 'per_call') return `This call needs ${needed}. ${sentence}`;
  if (reason === 'budget')
    return `This call needs ${needed}; the mandate has ${left ?? '0'} left. ${sentence}`;
  return sentence;
}
