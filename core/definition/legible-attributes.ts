import type { StoredSearchAttributes } from './search-attributes';
import { isRecord } from './stored-definition';

/**
 * The stored search attributes without those that a newer or a damaged program has written in another form. One schedule
 * must not hide the others of a list.
 */
export function legibleAttributes(stored: StoredSearchAttributes | null | undefined): StoredSearchAttributes {
  if (!isRecord(stored)) return {};
  const isLegible = (one: unknown) =>
    isRecord(one) && one.value !== undefined && (one.type === undefined || typeof one.type === 'string');
  return Object.fromEntries(Object.entries(stored).filter(([, one]) => isLegible(one)));
}
