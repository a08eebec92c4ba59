import { types } from 'pg';
// @ts-expect-error: the package has no types
import parseBytes from 'postgres-bytea';
// @ts-expect-error: the package has no types
import parseInstant from 'postgres-date';

/** By OID: parsers for bool, bytea, int8, int4, timestamptz and jsonb. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [16, (text) => text === 't'],
  [17, parseBytes],
  [20, Number],
  [23, Number],
  [1184, parseInstant],
  [3802, (text) => JSON.parse(text)],
]);

/**
 * Parsers for a session: if a program changes the global parsers of `pg`, the types above are not affected. Bigints
 * become numbers.
 */
export const ownParsers = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return PARSERS.get(oid) ?? types.getTypeParser(oid, format as 'text');
  },
};
