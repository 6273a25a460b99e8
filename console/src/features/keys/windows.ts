/** What the budget of a grant is for. */
export const WINDOWS = [
  { value: 'day', label: 'A day' },
  { value: 'week', label: 'A week' },
  { value: 'month', label: 'A month' },
  { value: 'lifetime', label: 'In total' },
];
