import { createRequire } from 'node:module';
import { build } from './build.mjs';

/**
 * `npm run demo`: installs and compiles what is missing, then runs examples/demo in this process. So signals need no
 * forwarding, and no child remains if this process is killed.
 */
await build();
const require = createRequire(import.meta.url);
require('tsx/cjs/api').register();
require('../examples/demo/main.ts');
