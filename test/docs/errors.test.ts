import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { errorsPage, MARK } from '../../scripts/errors-page';
import { TODO_OF } from '../../scripts/errors-to-do';
import { TODO_OF_PROBLEM } from '../../scripts/problems-to-do';

const page = readFileSync(resolve(__dirname, '../../docs/errors.md'), 'utf8');

it('docs/errors.md has every error that the package exports, and every problem of the API, as `npx tsx scripts/write-errors.ts` writes it', () => {
  expect(page.split(MARK)[1]?.trim()).toBe(errorsPage().trim());
});

it('no advice is left of an error that is gone', () => {
  const advised = [...Object.keys(TODO_OF), ...Object.keys(TODO_OF_PROBLEM)];
  expect(advised.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
