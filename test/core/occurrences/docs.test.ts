import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PAGE, withTables } from '../../../scripts/docs-time';

it('docs/time.md shows what the code does (npx tsx scripts/docs-time.ts writes it again)', () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(page).toMatch(/`30 2 \* \* \*` \| 03:00\+2 \| not at all \|/);
  expect(withTables(page)).toBe(page);
});
