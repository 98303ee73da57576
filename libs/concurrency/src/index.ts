export { coalesced } from './coalesced.ts';
export { gathering } from './gathering.ts';
export { atMost, inOrderByKey } from './in-order.ts';
export { pause, within } from './pause.ts';
