/** Ratings as people read them: "1 star", "4 stars". */
export const starsText = (stars: number): string => (stars === 1 ? '1 star' : `${stars} stars`);
