import { Text, type TextProps } from '@mantine/core';
import { formatCredits, formatMinor } from './format';

/** An amount of credits, with its unit. `signed` colours incoming amounts and writes the sign. */
export function Credits({
  value,
  signed = false,
  unit = true,
  ...text
}: { value: number; signed?: boolean; unit?: boolean } & TextProps) {
  const sign = signed && value > 0 ? '+' : '';
  const colour = signed && value > 0 ? { c: 'var(--good)' } : {};
  return (
    <Text component="bdi" inherit className="figures nowrap" {...colour} {...text}>
      {sign}
      {formatCredits(value)}
      {unit && <span className="unit"> {Math.abs(value) === 1 ? 'credit' : 'credits'}</span>}
    </Text>
  );
}

/** An amount of money in minor units; a dash for none. */
export function Money({ minor, currency }: { minor: number | null; currency: string | null }) {
  if (minor === null || currency === null) return <>–</>;
  return <bdi className="figures nowrap">{formatMinor(minor, currency)}</bdi>;
}
