import { isDeepStrictEqual } from 'node:util';

/**
 * Paths of the fields in which two definitions differ, such as `spec.cron`. Lists, and objects that are not plain, are
 * compared as a whole. A null or undefined field outside of lists equals a missing one.
 */
export function differences(one: unknown, other: unknown, path = ''): string[] {
  if (!isPlain(one) || !isPlain(other)) {
    return isDeepStrictEqual(one ?? undefined, other ?? undefined) ? [] : [path];
  }
  const fields = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...fields]
    .sort()
    .flatMap((field) => differences(one[field], other[field], path === '' ? field : `${path}.${field}`));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
