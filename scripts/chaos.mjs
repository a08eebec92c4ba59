import { createRequire } from 'node:module';
import { build } from './build.mjs';

/** `npm run chaos`: installs and compiles what is missing, then runs chaos/main.ts in this process. */
await build();
const require = createRequire(import.meta.url);
require('tsx/cjs/api').register();
require('../chaos/main.ts');
