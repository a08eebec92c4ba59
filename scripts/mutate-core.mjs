import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled } from './ensure-installed.mjs';
import { ROOT } from './lib/project.mjs';

/** `npm run mutate:core -- --mutate 'core/letters/**'`: Stryker, with this project's configuration. */
await ensureInstalled();
const stryker = join(ROOT, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const args = ['run', 'scripts/lib/mutation/stryker.config.mjs', ...process.argv.slice(2)];
const child = spawn(process.execPath, [stryker, ...args], { cwd: ROOT, stdio: 'inherit' });
child.once('close', (code) => process.exit(code ?? 1));
