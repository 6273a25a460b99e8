/** Converts a quantity as people write it (`26.2 mi`, `5 ft 11 in`) into another unit. */
import { convert, convertMany, getMeasureKind, MeasureKind } from 'convert';
import { InputError } from '../serve.mjs';

const MAX_LENGTH = 100;
const QUANTITY = /^-?[\d.]+\s*[^\d\s]/u;
/** Enough for any measurement, few enough to hide the noise of binary fractions. */
const SIGNIFICANT_DIGITS = 12;

/** @param {{ quantity?: unknown, to?: unknown }} input */
export function convertUnits({ quantity, to = 'best' }) {
  if (typeof quantity !== 'string' || quantity.length > MAX_LENGTH || !QUANTITY.test(quantity.trim())) {
    throw new InputError('quantity must be a number and a unit, such as "26.2 mi" or "5 ft 11 in".');
  }
  if (typeof to !== 'string' || to.length > MAX_LENGTH)
    throw new InputError('to must be a unit, such as "km".');
  const { value, unit } = converted(quantity.trim().replace(/(\d),(?=\d{3})/g, '$1'), to);
  if (!Number.isFinite(value)) throw new InputError('The quantity is too large.');
  const rounded = Number(value.toPrecision(SIGNIFICANT_DIGITS));
  const kind = MeasureKind[getMeasureKind(unit)];
  return { quantity: rounded, unit, text: `${rounded} ${unit}`, measure: kind.toLowerCase() };
}

function converted(quantity, to) {
  try {
    if (to !== 'best') return { value: convertMany(quantity).to(to), unit: to };
    const { quantity: value, unit } = convertMany(quantity).to('best');
    return { value: convert(value, unit).to(unit), unit };
  } catch (error) {
    if (error instanceof RangeError)
      throw new InputError(error.message.replace(/ expression .*/, ' a number and a unit'));
    throw error;
  }
}
