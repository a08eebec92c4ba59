import { expect, it } from 'vitest';
import { mayRedrive } from '../../../server/dashboard/views/letters/may-redrive';

const away = { status: 503 };
const one = { isSingle: true, letterId: 'a' };

it('one letter can be redriven although Temporal does not say what would run again', () => {
  expect(mayRedrive(undefined, { ...one, problem: away })).toBe(true);
  expect(mayRedrive(undefined, { ...one, problem: { status: 409 } })).toBe(false);
  expect(mayRedrive(undefined, { ...one, problem: undefined })).toBe(false);
});

it('of several letters none is redriven before they were counted', () => {
  for (const isSingle of [true, false]) expect(mayRedrive(undefined, { isSingle, problem: away })).toBe(false);
});

it('a redrive can be confirmed if a letter would be redriven, or was not checked', () => {
  const refused = { total: 1, redriven: 0, planned: [] };
  expect(mayRedrive({ ...refused, redriven: 1 }, { ...one, problem: undefined })).toBe(true);
  expect(mayRedrive(refused, { ...one, problem: undefined })).toBe(false);
  expect(mayRedrive(refused, { isSingle: false, problem: undefined })).toBe(true);
});
