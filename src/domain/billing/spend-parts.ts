/** By what the spending of an account can be summed. */
export const SPEND_PARTS = ['day', 'agent', 'key', 'tag', 'member'] as const;
export type SpendPart = (typeof SPEND_PARTS)[number];

/** Such as `day,agent`. */
export const SPEND_PARTS_PATTERN = '^(day|agent|key|tag|member)(,(day|agent|key|tag|member)){0,4}$';

export const spendPartsOf = (text: string): SpendPart[] =>
  SPEND_PARTS.filter((part) => text.split(',').includes(part));
