import fc from 'fast-check';
import { anyCodePoint } from '../../../test/support/any-text';
import { developerIdCandidate, displayNameSlug } from './developer-id';

it.each([
  ['Ada Lovelace', 'ada-lovelace'],
  ['  Grace   Höpper! ', 'grace-hopper'],
  ['Æther & Co. 2', 'ther-co-2'],
  ['開発者', 'developer'],
  ['---', 'developer'],
])('makes a slug of %j', (name, slug) => {
  expect(displayNameSlug(name)).toBe(slug);
});

it('always makes an id that the database accepts', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCodePoint, maxLength: 80 }),
      fc.integer({ min: 1, max: 5_000 }),
      (name, attempt) => {
        expect(developerIdCandidate(name, attempt)).toMatch(/^dev_[a-z0-9]+(-[a-z0-9]+)*$/);
      },
    ),
  );
});
