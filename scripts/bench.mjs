import { createRequire } from 'node:module';
import { build } from './build.mjs';

/**
 * `npm run bench`: installs and compiles what is missing, then runs bench/main.ts in this process. So signals need no
 * forwarding, and no child remains if this process is killed.
 */
await build();
const require = createRequire(import.meta.url);
require('tsx/cjs/api').register();
require('../bench/main.ts');
