import type { SearchAttributePair } from '@temporalio/common';
import {
  pairsOf,
  type SearchAttributeOptions,
  type StoredSearchAttributes,
} from '../../core/definition/search-attributes';
import { describeSearchAttributes } from '../describe/describe-action';
import { isSameJson } from './same-json';

/**
 * The search attributes of a changed description. A description shows a typed attribute in both forms, and if both are
 * given, the typed form takes precedence. So an attribute that was changed in one form is changed or removed in the
 * other form too. A value that is given in the untyped form alone keeps the attribute's type.
 */
export function editedAttributes<Given extends SearchAttributeOptions>(
  given: Given,
  stored: StoredSearchAttributes | null | undefined,
): Given {
  const { searchAttributes, typedSearchAttributes } = given;
  if (typeof searchAttributes !== 'object' || searchAttributes === null || Array.isArray(searchAttributes))
    return given;
  const pairs = pairsOf(typedSearchAttributes ?? {});
  if (!Array.isArray(pairs)) return given;
  const untyped = { ...(searchAttributes as Record<string, unknown>) };
  const typed = new Map((pairs as SearchAttributePair[]).map((pair) => [pair?.key?.name, pair]));
  const described = describeSearchAttributes(stored);
  for (const former of described.typedSearchAttributes.getAll()) {
    const { name } = former.key;
    const isUntypedSame = isSame(untyped[name], described.searchAttributes[name]);
    const isTypedSame = isSame(typed.get(name), former);
    if (isUntypedSame === isTypedSame) continue;
    if (isUntypedSame) delete untyped[name];
    else typed.delete(name);
    const value = isTypedSame ? typedValue(former, untyped[name]) : undefined;
    if (value !== undefined) typed.set(name, { key: former.key, value } as SearchAttributePair);
  }
  return { ...given, searchAttributes: untyped, typedSearchAttributes: [...typed.values()] };
}

/** The value of an untyped attribute for the typed form; undefined if only the untyped form can have it. */
function typedValue({ key }: SearchAttributePair, untyped: unknown): unknown {
  if (!Array.isArray(untyped)) return undefined;
  if (key.type === 'KEYWORD_LIST') return untyped;
  return untyped.length === 1 ? untyped[0] : undefined;
}

function isSame(given: unknown, former: unknown): boolean {
  return given === undefined ? former === undefined : isSameJson(given, former);
}
