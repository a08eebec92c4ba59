import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { withDefaults } from './defaults-page';

/** `npx tsx scripts/write-defaults.ts`: writes the tables in docs/defaults.md from the code. */

const page = resolve(__dirname, '../docs/defaults.md');
writeFileSync(page, withDefaults(readFileSync(page, 'utf8')));
