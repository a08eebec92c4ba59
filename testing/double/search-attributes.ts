import type { SearchAttributeType } from '@temporalio/common';
import type { StoredSearchAttributes } from '../../core/definition/search-attributes';

export type KnownSearchAttributes = Readonly<Record<string, SearchAttributeType>>;

/** The server's error for the search attributes of a start; undefined if it accepts them. */
export function refusalOf(attributes: StoredSearchAttributes = {}, known: KnownSearchAttributes): string | undefined {
  for (const [name, attribute] of Object.entries(attributes)) {
    // A damaged attribute may be null. No request can carry it, so it is refused below.
    const value = attribute?.value;
    const type = Object.hasOwn(known, name) ? known[name] : undefined;
    if (type === undefined) return `Namespace has no mapping defined for search attribute ${name}`;
    // The server uses its own type for an attribute, whatever type the start names.
    if ((type === 'KEYWORD_LIST' && !Array.isArray(value)) || ![value].flat().every((item) => fits(type, item))) {
      return `invalid value for search attribute ${name} of type ${type}: ${JSON.stringify(value)}`;
    }
  }
  return undefined;
}

/** The only form of a date that the server reads. */
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function fits(type: SearchAttributeType, item: unknown): boolean {
  switch (type) {
    case 'TEXT':
    case 'KEYWORD':
    case 'KEYWORD_LIST':
      return typeof item === 'string';
    case 'INT':
      return Number.isInteger(item);
    case 'DOUBLE':
      return typeof item === 'number';
    case 'BOOL':
      return typeof item === 'boolean';
    case 'DATETIME':
      return typeof item === 'string' && RFC_3339.test(item) && !Number.isNaN(Date.parse(item));
  }
}
