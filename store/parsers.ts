import { types } from 'pg';

const INT8 = 20;
/** The default parsers of `pg`, saved before a program can replace them: for timestamptz, jsonb, bytea, bool, int4. */
const defaultParsers = new Map([1184, 3802, 17, 16, 23].map((oid) => [oid, types.getTypeParser(oid, 'text')]));

/**
 * Our own parsers, since a program may have changed the global parsers of `pg`. The parsers turn instants into Dates,
 * and bigints into numbers.
 */
export const ownParsers = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return oid === INT8 ? Number : (defaultParsers.get(oid) ?? types.getTypeParser(oid, format as 'text'));
  },
};
