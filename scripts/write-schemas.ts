import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { schemasOf } from './command-schemas';

/** `npx tsx scripts/write-schemas.ts`: write docs/schemas/ again, from the tables of docs/command-json.md. */

const DOCS = resolve(__dirname, '../docs');
const folder = join(DOCS, 'schemas');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const schemas = schemasOf(readFileSync(join(DOCS, 'command-json.md'), 'utf8'));
for (const [name, schema] of schemas) writeFileSync(join(folder, name), `${JSON.stringify(schema, null, 2)}\n`);
console.log(`${schemas.size} schemas are in docs/schemas/.`);
