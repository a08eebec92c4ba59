import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { writeReference } from './lib/docs/reference.mjs';
import { serveFolder } from './lib/docs/serve-folder.mjs';
import { writeMarkdownBeside, writeSitePages } from './lib/docs/site-pages.mjs';
import { ensureInstalledIn } from './lib/install.mjs';
import { ROOT, say } from './lib/project.mjs';
import { run, withProgress } from './lib/run.mjs';

const PORT = 4173;
const SITE = join(ROOT, 'site');
const PAGES = join(SITE, 'pages');
const DIST = join(SITE, 'dist');

/**
 * `npm run docs`: builds docs/ and the reference of the TypeScript API into a site in site/dist, and serves the site
 * until Ctrl-C. `-- --build` only builds the site. `-- --port 8000` serves the site on that port.
 */
const options = process.argv.slice(2);
const port = readPort(options);
await ensureInstalledIn('site');
// The reference is of the types that the package ships.
await build();
writeSitePages(PAGES);
rmSync(DIST, { recursive: true, force: true });
await mustDo('writing the reference', () => writeReference(PAGES));
const generator = join(SITE, 'node_modules/vitepress/bin/vitepress.js');
await mustDo('building the site', () => run(process.execPath, [generator, 'build'], { cwd: SITE, quiet: true }));
writeMarkdownBeside(PAGES, DIST);
if (options.includes('--build')) say(`The site is in ${DIST}.`);
else await serveUntilStopped();

async function mustDo(what, work) {
  const { code, output } = await withProgress(what, work);
  if (code === 0) return;
  say(output.trimEnd());
  process.exit(1);
}

async function serveUntilStopped() {
  const { url, close } = await serveFolder(DIST, port).catch((error) => {
    say(`The site is in ${DIST}, and cannot be served: ${error.message}. Another port: npm run docs -- --port 8000`);
    process.exit(1);
  });
  process.stdout.write(`The documentation is at ${url} until Ctrl-C.\n`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, close);
}

function readPort(given) {
  const known = given.every((word, at) => word === '--build' || word === '--port' || given[at - 1] === '--port');
  const at = given.indexOf('--port');
  const asked = at < 0 ? PORT : Number(given[at + 1]);
  if (known && Number.isInteger(asked) && asked >= 0 && asked < 65_536) return asked;
  say('npm run docs takes --build, or --port with a number.');
  process.exit(2);
}
