import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorsPage, MARK } from './errors-page';

/** `npx tsx scripts/write-errors.ts`: writes the tables in docs/errors.md from the error classes and their comments. */

const page = resolve(__dirname, '../docs/errors.md');
const [byHand] = readFileSync(page, 'utf8').split(MARK);
writeFileSync(page, `${byHand}${MARK}\n\n${errorsPage().trimEnd()}\n`);
