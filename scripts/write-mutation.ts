import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { withMutation } from './lib/mutation/page';

/** `npx tsx scripts/write-mutation.ts`: writes the tables of docs/mutation.json into docs/reliability.md. */

const page = resolve(__dirname, '../docs/reliability.md');
writeFileSync(page, withMutation(readFileSync(page, 'utf8')));
