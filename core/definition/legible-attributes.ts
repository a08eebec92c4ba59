import type { StoredSearchAttributes } from './search-attributes';
import { isRecord } from './stored-definition';

/**
 * The stored search attributes that have the expected form. A newer or a damaged program may have written others. One
 * unreadable schedule must not keep a list from showing the others.
 */
export function legibleAttributes(stored: StoredSearchAttributes | null | undefined): StoredSearchAttributes {
  if (!isRecord(stored)) return {};
  const isLegible = (one: unknown) =>
    isRecord(one) && one.value !== undefined && (one.type === undefined || typeof one.type === 'string');
  return Object.fromEntries(Object.entries(stored).filter(([, one]) => isLegible(one)));
}
