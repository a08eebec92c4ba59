import { expect, it } from 'vitest';
import { unlessEmpty } from '../../../core/definition/unless-empty';

it.each([[{}], [null], [undefined]])('%j counts as not given', (fields) => {
  expect(unlessEmpty(fields)).toBeUndefined();
});

it.each([
  [{ team: 'billing' }],
  [{ team: 'billing', region: 'emea' }],
  // A field that is given as undefined is a field.
  [{ team: undefined }],
])('%j stays as it is', (fields) => {
  expect(unlessEmpty(fields)).toBe(fields);
});
