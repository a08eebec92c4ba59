import { expect, it } from 'vitest';
import { answersInWords, awayInWords } from '../../../server/dashboard/views/overview/away-words';

const away = (status?: string) => ({ since: '2026-03-01T00:00:00Z', error: 'no', ...(status ? { status } : {}) });
const namespaces = (...all: (ReturnType<typeof away> | undefined)[]) =>
  all.map((one, n) => ({ namespace: `${n}`, schedules: 1, ...(one ? { away: one } : {}) }));

it('a namespace that refuses the credentials is not said not to answer', () => {
  for (const status of ['UNAUTHENTICATED', 'PERMISSION_DENIED'])
    expect(awayInWords(away(status))).toBe('refuses the credentials');
  for (const status of ['UNAVAILABLE', undefined])
    expect(awayInWords(away(status))).toBe('does not answer, or refuses calls');
  expect(answersInWords(namespaces(undefined))).toBe('all answer');
  expect(answersInWords(namespaces(away('UNAVAILABLE'), undefined))).toBe('1 does not answer, or refuses calls');
  expect(answersInWords(namespaces(away('UNAUTHENTICATED'), away(), away('PERMISSION_DENIED')))).toBe(
    '1 does not answer, or refuses calls; 2 refuse the credentials',
  );
});
