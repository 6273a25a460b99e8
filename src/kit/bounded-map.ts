/**
 * A map of at most `most` entries. A new key in a full map takes the place of the entry that was set longest ago, so
 * that an attacker who invents keys costs other entries one by one and never all at once.
 */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;
  /** Continues where the last eviction was: an iterator from the start would pass all deleted entries again. */
  readonly #oldest = this.keys();

  constructor(most: number) {
    super();
    this.#most = most;
  }

  /** Sets a value. The entry becomes the newest one, also if the key was there. */
  override set(key: Key, value: Value): this {
    this.delete(key);
    if (this.size >= this.#most) {
      const { value: oldest } = this.#oldest.next() as IteratorYieldResult<Key>;
      this.delete(oldest);
    }
    return super.set(key, value);
  }

  /** Returns what `get` returns, and makes the entry the newest one: the map then forgets what was used longest ago. */
  use(key: Key): Value | undefined {
    const value = this.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }
}
