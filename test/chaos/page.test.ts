import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NEMESES } from '../../chaos/nemesis';
import { PAGE, recordedResults, withCounts } from '../../chaos/page';

const page = readFileSync(PAGE, 'utf8');

it('every count on the page of reliability is that of a recorded run', () => {
  expect(withCounts(page, recordedResults())).toBe(page);
});

it('the page says of each kind of fault what it does', () => {
  const told = [...page.matchAll(/^\| ([a-z ]+) \| .*\|$/gm)].map(([, name]) => name);
  expect(NEMESES.map(({ name }) => name).filter((name) => !told.includes(name))).toEqual([]);
});
