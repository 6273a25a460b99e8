/** Headings of `market --help`, in their order: what a person wants to do, or who a person is. */
export const ROLES = {
  account: 'Your account:',
  buy: 'Buy:',
  sell: 'Sell:',
  programs: 'Programs and events:',
  operate: 'Operators, over the API:',
  database: 'Operators, on the database or Temporal directly:',
} as const;
