declare const brand: unique symbol;

/** Where a page stands among all pages of its connection: a later run is newer, and in a run a later page. */
export type Place = number & { readonly [brand]: 'Place' };

/** Pages of one run at the most. A bank that needed more would have half a milliard of rows. */
const pagesMax = 1_000_000;

/** `run` counts from 1, `page` from 0. */
export const placeOf = (run: number, page: number): Place => (run * pagesMax + Math.min(page, pagesMax - 1)) as Place;

export const runOf = (place: Place): number => Math.floor(place / pagesMax);
