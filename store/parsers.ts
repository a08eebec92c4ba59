import { types } from 'pg';

const INT8 = 20;
/** The parsers of `pg` when this module was loaded, for timestamptz, jsonb, bytea, bool and int4. */
const defaultParsers = new Map([1184, 3802, 17, 16, 23].map((oid) => [oid, types.getTypeParser(oid, 'text')]));

/**
 * Our own parsers, since a program may change the global parsers of `pg`. The parsers turn instants into Dates, and
 * bigints into numbers.
 */
export const ownParsers = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return oid === INT8 ? Number : (defaultParsers.get(oid) ?? types.getTypeParser(oid, format as 'text'));
  },
};
