import { InputError } from '../../agents/serve.mjs';

/** What everybody has ordered: the fault that this agent is here to show. */
const orders = [];
const KEPT = 5;

/** @param {Record<string, unknown>} input */
export function work({ text, ...others }) {
  if (typeof text !== 'string' || text === '' || Object.keys(others).length > 0)
    throw new InputError('The input has a text and nothing else.');
  const recent = orders.join(' | ');
  orders.push(text);
  if (orders.length > KEPT) orders.shift();
  return { answer: 'Your order is confirmed.', recent };
}
