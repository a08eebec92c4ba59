import type { Filter } from './filters';

/** What is done to all that match. */
export function Bulk(_: { filter: Filter }) {
  return null;
}
