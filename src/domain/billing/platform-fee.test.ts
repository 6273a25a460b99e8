import { parseFeePercent } from './platform-fee';

it.each(['0', '3', '50'])('takes %s', (text) => {
  expect(parseFeePercent(text)).toBe(Number(text));
});

it.each(['', '-1', '51', '100', '3.5', '3%', '1e1', ' 3', '٣'])('refuses "%s"', (text) => {
  expect(parseFeePercent(text)).toBeUndefined();
});
