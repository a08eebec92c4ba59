import { readFileSync } from 'node:fs';
import { beforeAll, expect, inject, it } from 'vitest';
import { namesOf, PAGE, timelines, withTimelines } from '../../../scripts/docs-timelines';

const page = readFileSync(PAGE, 'utf8');
const { DATABASE_URL } = process.env;

beforeAll(() => {
  process.env.DATABASE_URL = inject('databaseUrl');
  return () => {
    if (DATABASE_URL === undefined) delete process.env.DATABASE_URL;
    else process.env.DATABASE_URL = DATABASE_URL;
  };
});

it('docs/choosing.md draws each policy as a schedule with it fires (npx tsx scripts/docs-timelines.ts writes them)', async () => {
  const drawn = await timelines();
  // One timeline for each policy, and for both answers to the question of the page.
  expect(namesOf(page).sort()).toEqual([...drawn.keys()].sort());
  expect(withTimelines(page, drawn)).toBe(page);
});
