import { isReadersTimeout, truncatedCost } from '../../../domain/catalogue/truncation';
import { createDelivery } from './delivery';
import { realTime } from '../../../../test/support/waits';

function reader() {
  let handed = 0;
  let release = (): void => {};
  const left = new AbortController();
  const sink = {
    write: (chunk: string) => {
      handed += chunk.length;
      return new Promise<void>((resolve) => (release = resolve));
    },
    handed: () => handed,
    closed: left.signal,
  };
  return { sink, left, release: () => release() };
}

describe('a delivery', () => {
  it('requests the permit once, and delivers nothing without it', async () => {
    const { sink, release } = reader();
    let asked = 0;
    const refused = createDelivery(sink, () => Promise.reject(new Error('decided')));
    await expect(refused.write('a')).rejects.toThrow('decided');
    expect([refused.text(), sink.handed()]).toEqual(['', 0]);
    const delivery = createDelivery(sink, async () => void (asked += 1));
    for (const piece of ['a', 'b']) {
      const written = delivery.write(piece);
      await new Promise(setImmediate);
      release();
      await written;
    }
    expect([delivery.text(), asked]).toEqual(['ab', 1]);
  });

  it('discards a piece whose permit comes after its end', async () => {
    const { sink } = reader();
    let permit = (): void => {};
    const delivery = createDelivery(sink, () => new Promise<void>((resolve) => (permit = resolve)));
    const written = delivery.write('late');
    delivery.stop();
    permit();
    await written;
    expect([delivery.text(), sink.handed()]).toEqual(['', 0]);
  });

  it('measures how long its reader makes pieces wait', async () => {
    const { sink, release } = reader();
    const delivery = createDelivery(sink, () => Promise.resolve());
    const written = delivery.write('a');
    await realTime(30, 'the time of the reader');
    expect(delivery.waitedMs()).toBeGreaterThan(20);
    release();
    await written;
    expect(delivery.waitedMs()).toBeGreaterThan(20);
  });
});

it("is the reader's timeout when pieces waited for the reader during a tenth of the time", () => {
  expect([isReadersTimeout(999, 10_000), isReadersTimeout(1_000, 10_000)]).toEqual([false, true]);
});

it('costs the ceiling if the ceiling ended the stream, and at most the ceiling if the reader left', () => {
  expect(truncatedCost('ceiling', 7, 5)).toBe(5);
  expect(truncatedCost('ceiling', 4, 5)).toBe(5);
  expect(truncatedCost('client_closed', 7, 5)).toBe(5);
  expect(truncatedCost('client_closed', 4, 5)).toBe(4);
  expect(truncatedCost('client_closed', 4, null)).toBe(4);
});
