import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { apiPage, MARK } from './api-page';

/** `npx tsx scripts/write-api.ts`: write the operations in docs/api.md again, from the OpenAPI document. */

const page = resolve(__dirname, '../docs/api.md');
const [byHand] = readFileSync(page, 'utf8').split(MARK);
writeFileSync(page, `${byHand}${MARK}\n\n${apiPage().trimEnd()}\n`);
