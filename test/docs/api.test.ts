import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { apiPage, MARK } from '../../scripts/api-page';

it('docs/api.md has every operation of the OpenAPI document, as `npx tsx scripts/write-api.ts` writes it', () => {
  const page = readFileSync(resolve(__dirname, '../../docs/api.md'), 'utf8');
  expect(page.split(MARK)[1]?.trim()).toBe(apiPage().trim());
});
