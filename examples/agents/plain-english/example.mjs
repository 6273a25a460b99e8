/** A real input: two sentences as an office would write them. */
export function exampleInput() {
  const content =
    'In order to commence the procedure, it is necessary to obtain additional information regarding your residence. ' +
    'In the event that you require assistance, please notify us prior to the end of the month.';
  return { messages: [{ role: 'user', content }] };
}
