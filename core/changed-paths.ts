import { isDeepStrictEqual } from 'node:util';

/**
 * Paths of the fields in which two pieces of plain JSON differ, such as `spec.cron`; a list is one field. In the order of
 * the newer one's fields, then those that it no longer has.
 */
export function changedPaths(older: object, newer: object, prefix = ''): string[] {
  const names = new Set([...Object.keys(newer), ...Object.keys(older)]);
  return [...names].flatMap((name) => {
    const [before, after] = [(older as Fields)[name], (newer as Fields)[name]];
    if (isPlain(before) && isPlain(after)) return changedPaths(before, after, `${prefix}${name}.`);
    return isDeepStrictEqual(before, after) ? [] : [prefix + name];
  });
}

type Fields = Record<string, unknown>;

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
