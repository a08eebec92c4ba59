import { types } from 'pg';

const INT8 = 20;
/** The parsers of `pg` when this module was loaded, for timestamptz, jsonb, bytea, bool and int4. */
const defaultParsers = new Map([1184, 3802, 17, 16, 23].map((oid) => [oid, types.getTypeParser(oid, 'text')]));

/**
 * Parsers for a session: if a program changes the global parsers of `pg`, the types above are not affected. Bigints
 * become numbers.
 */
export const ownParsers = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return oid === INT8 ? Number : (defaultParsers.get(oid) ?? types.getTypeParser(oid, format as 'text'));
  },
};
