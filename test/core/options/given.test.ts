import { describe, expect, it } from 'vitest';
import { given, givenOrNone } from '../../../core/given';

describe('what is given', () => {
  it('has no field that is undefined', () => {
    const some = given({ late: undefined, failing: 3, note: undefined });
    expect(some).toEqual({ failing: 3 });
    expect(Object.keys(some)).toEqual(['failing']);
  });

  it.each([false, 0, '', null, Number.NaN, [], {}])('keeps %j, which is a value', (value) => {
    expect(given({ value })).toStrictEqual({ value });
  });

  it('overrides nothing by a field that is undefined', () => {
    expect({ failing: 3, ...given({ failing: undefined }) }).toEqual({ failing: 3 });
  });

  it('keeps the order of the fields', () => {
    expect(Object.keys(given({ b: 1, none: undefined, a: 2 }))).toEqual(['b', 'a']);
  });

  it('leaves the object itself as it was', () => {
    const fields = { late: undefined, failing: 3 };
    given(fields);
    expect(Object.keys(fields)).toEqual(['late', 'failing']);
  });

  it('is an empty object if nothing is given', () => {
    expect(given({})).toStrictEqual({});
    expect(given({ late: undefined })).toStrictEqual({});
  });
});

describe('what is given, or none,', () => {
  it('is the same if a field has a value', () => {
    expect(givenOrNone({ late: undefined, failing: false })).toStrictEqual({ failing: false });
  });

  it('is undefined if no field has a value', () => {
    expect(givenOrNone({ late: undefined, failing: undefined })).toBeUndefined();
    expect(givenOrNone({})).toBeUndefined();
  });
});
