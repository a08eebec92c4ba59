import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { commandsPage } from './commands-page';

/** `npx tsx scripts/write-commands.ts`: write docs/commands.md again, from the commands themselves. */
writeFileSync(resolve(__dirname, '../docs/commands.md'), commandsPage());
