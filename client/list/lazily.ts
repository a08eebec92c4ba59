const PRINT = Symbol.for('nodejs.util.inspect.custom');

/**
 * The object with one more field, which is computed when it is first read and then kept as a plain value. JSON, spread,
 * structuredClone and comparisons read it, as they read any other; `console.log` prints its value too.
 */
export function withLazy<Rest extends object, Key extends string, Value>(
  rest: Rest,
  key: Key,
  compute: () => Value,
): Rest & Record<Key, Value> {
  const keep = (value: Value): Value => {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    return value;
  };
  const get = () => keep(compute());
  const object = Object.defineProperty(rest, key, { get, set: keep, enumerable: true, configurable: true });
  // It would print `[Getter]`.
  const print = () => {
    Reflect.get(object, key);
    return object;
  };
  return Object.defineProperty(object, PRINT, { value: print }) as Rest & Record<Key, Value>;
}
