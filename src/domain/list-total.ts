/** Lists of more rows leave out `total`: counting them would cost more than the page (contract, "General"). */
export const MOST_COUNTED = 1_000;

/** How many rows a page of a filtered list reads at most. Such a page may be short, or empty, and have a next one. */
export const MOST_SCANNED = 5_000;
