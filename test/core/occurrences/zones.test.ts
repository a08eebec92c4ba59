import { expect, it } from 'vitest';
import { zoneNamed } from '../../../core/occurrences/zones/zones';

it('a zone is kept once, however its name is spelled: callers from outside choose the spelling', () => {
  const names = ['Africa/Asmera', 'africa/asmera', 'AFRICA/Asmera'];
  expect(new Set(names.map((name) => zoneNamed(name, 'timezone'))).size).toBe(1);
  expect(new Set(['UTC', 'utc', ''].map((name) => zoneNamed(name, 'timezone'))).size).toBe(1);
});
