const PRINT = Symbol.for('nodejs.util.inspect.custom');

/**
 * Adds one more field to the object. The value of the field is computed at the first read, and then kept. JSON, spread,
 * structuredClone and comparisons treat the field like any other, and `console.log` prints its value.
 */
export function withLazy<Rest extends object, Key extends string, Value>(
  rest: Rest,
  key: Key,
  compute: () => Value,
): Rest & Record<Key, Value> {
  const keep = (value: Value): Value => {
    // If somebody has applied `Object.freeze` to the object, the value is computed at each read.
    if (Object.getOwnPropertyDescriptor(object, key)?.configurable)
      Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    return value;
  };
  const get = () => keep(compute());
  const object = Object.defineProperty(rest, key, { get, set: keep, enumerable: true, configurable: true });
  // Without this function, `console.log` would print `[Getter]`.
  const print = () => {
    Reflect.get(object, key);
    return object;
  };
  return Object.defineProperty(object, PRINT, { value: print }) as Rest & Record<Key, Value>;
}
