import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const DOCS = resolve(__dirname, '../../docs');

it('docs/moving.md leads to what differs, and to its heading', () => {
  expect(readFileSync(resolve(DOCS, 'moving.md'), 'utf8')).toContain('(parity.md#what-differs)');
  expect(readFileSync(resolve(DOCS, 'parity.md'), 'utf8')).toContain('\n## What differs\n');
});
