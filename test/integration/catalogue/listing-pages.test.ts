import {
  type Listing,
  type ListingFields,
  type ListingPage,
  putListing,
  searchListings,
} from '../../support/catalogue/listings';
import { register, type TestUser } from '../../support/market';
import { useMarket } from '../../support/use-market';

const market = useMarket({ operations: false });
let developer: TestUser;
let buyer: TestUser;

beforeAll(async () => {
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer');
});

const list = (slug: string, credits: number, fields?: ListingFields) =>
  putListing(market, developer, slug, credits, fields);
const search = (query: string) => searchListings(market, buyer, query);

/** Every page of a search, one after another. */
async function walk(
  query: string,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Listing[]> {
  const all: Listing[] = [];
  let cursor: string | null = null;
  do {
    const { status, body }: { status: number; body: ListingPage } = await search(
      `${query}${cursor ? `&cursor=${cursor}` : ''}`,
    );
    expect(status).toBe(200);
    all.push(...body.items);
    cursor = body.next_cursor;
    await between();
  } while (cursor !== null);
  return all;
}

describe('walking through pages', () => {
  const COUNT = 45;

  beforeAll(async () => {
    for (let index = 0; index < COUNT; index += 1) {
      // Many equal keys, so that ties are walked too.
      await list(`w-${index}`, 1 + (index % 4), {
        category: 'media',
        trust_score: index % 3 === 0 ? null : (index % 5) * 10,
        display_name: `Walker ${'walker '.repeat(index % 3)}`,
      });
    }
  });

  it.each(['relevance', 'trust_score', 'price_asc', 'price_desc', 'newest', 'popular'])(
    'by %s has no gap and no repetition, while agents are added',
    async (sort) => {
      let added = 0;
      const before = (await walk(`category=media&sort=${sort}&limit=100`)).map(({ slug }) => slug);
      const seen = await walk(`category=media&sort=${sort}&limit=7`, async () => {
        added += 1;
        await list(`x-${sort.replace('_', '-')}-${added}`, 1 + (added % 4), {
          category: 'media',
          trust_score: (added % 5) * 10,
        });
      });
      const slugs = seen.map(({ slug }) => slug);
      expect(new Set(slugs).size).toBe(slugs.length);
      expect(slugs.filter((slug) => before.includes(slug))).toEqual(before);
    },
  );

  it('by relevance has no gap either', async () => {
    const whole = await walk('q=walker&limit=100');
    const pages = await walk('q=walker&limit=4');
    expect(whole).toHaveLength(COUNT);
    expect(pages.map(({ slug }) => slug)).toEqual(whole.map(({ slug }) => slug));
  });

  it('accepts a cursor for its own query only', async () => {
    const { body } = await search('category=media&sort=newest&limit=2');
    for (const query of [
      'category=media&sort=price_asc',
      'sort=newest',
      'category=media&sort=newest&q=walker',
    ]) {
      expect((await search(`${query}&limit=2&cursor=${body.next_cursor}`)).status).toBe(422);
    }
    expect((await search(`category=media&sort=newest&limit=3&cursor=${body.next_cursor}`)).status).toBe(200);
  });
});
