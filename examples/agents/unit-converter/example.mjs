/** A real input: the length of a marathon. */
export function exampleInput() {
  return { quantity: '26.2 mi', to: 'km' };
}
