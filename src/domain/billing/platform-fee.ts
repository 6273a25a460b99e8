/**
 * The platform's share of each charge, in whole percent. Charges are whole credits, so a fee of whole percent is never
 * rounded. The database checks the same bounds (`platform_settings`).
 */
export const FEE_PERCENT = { least: 0, most: 50 } as const;

/** Returns the percentage that the text says, or undefined when it is not a whole number within the bounds. */
export function parseFeePercent(text: string): number | undefined {
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const percent = Number(text);
  return percent <= FEE_PERCENT.most ? percent : undefined;
}
