import type { SearchAttributes, TypedSearchAttributes } from '@temporalio/common';
import {
  decodeSearchAttributes,
  decodeTypedSearchAttributes,
} from '@temporalio/common/lib/converter/payload-search-attributes';
import type { StoredAction } from '../../core/definition/definition';
import { legibleAttributes } from '../../core/definition/legible-attributes';
import { type StoredSearchAttributes, searchAttributePayloads } from '../../core/definition/search-attributes';
import type { DecodedValues } from '../payloads';

/** The part of an action that is stored unencoded, and in the form that people read. */
export type PlainAction = Omit<
  StoredAction,
  'memo' | 'staticSummary' | 'staticDetails' | 'searchAttributes' | 'headers'
>;

/**
 * Search attributes in both of Temporal's forms. The typed form lacks those whose type was not given, except a single
 * date.
 */
export interface DescribedSearchAttributes {
  /** By name, without types. */
  searchAttributes: SearchAttributes;
  /** By name and type. */
  typedSearchAttributes: TypedSearchAttributes;
}

/** An action with its encoded fields decoded. `create` accepts it as it is. */
export type DescribedAction = PlainAction & DecodedValues & DescribedSearchAttributes;

export function plainAction(action: StoredAction): PlainAction {
  const {
    memo: _memo,
    staticSummary: _summary,
    staticDetails: _details,
    searchAttributes: _attributes,
    headers: _headers,
    ...plain
  } = action;
  return plain;
}

export function describeAction(action: StoredAction, decoded: DecodedValues): DescribedAction {
  return { ...plainAction(action), ...decoded, ...describeSearchAttributes(action.searchAttributes) };
}

export function describeSearchAttributes(stored: StoredSearchAttributes | null | undefined): DescribedSearchAttributes {
  const payloads = searchAttributePayloads(legibleAttributes(stored));
  return {
    searchAttributes: decodeSearchAttributes(payloads),
    typedSearchAttributes: decodeTypedSearchAttributes(payloads),
  };
}
