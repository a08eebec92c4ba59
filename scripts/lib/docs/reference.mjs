import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ROOT } from '../project.mjs';
import { run } from '../run.mjs';
import { REFERENCE } from './entry-points.mjs';

const TYPEDOC = join(ROOT, 'site/node_modules/typedoc/bin/typedoc');

/**
 * Write the reference of the TypeScript API among the site's pages, from the built types.
 *
 * @param {string} folder the site's pages
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function writeReference(folder) {
  const result = await run(process.execPath, [TYPEDOC, '--options', 'site/typedoc/options.mjs'], { quiet: true });
  if (result.code !== 0) return result;
  for (const page of referencePages(folder)) {
    const path = join(folder, page);
    writeFileSync(path, withLinksToPages(readFileSync(path, 'utf8'), page, folder));
  }
  return result;
}

/** The pages of the reference, such as `reference/escapement/trigger/index.md`. */
export function referencePages(folder) {
  return readdirSync(join(folder, REFERENCE), { recursive: true })
    .filter((file) => file.endsWith('.md'))
    .map((file) => posix.join(REFERENCE, file.replaceAll('\\', '/')));
}

/** Docstrings name a page by its path: in the site that becomes a link with the page's title. */
function withLinksToPages(text, page, folder) {
  return text.replace(/`docs\/([\w-]+\.md)(#[\w-]+)?`/g, (_, file, anchor = '') => {
    const [, title] = /^# (.+)$/m.exec(readFileSync(join(folder, file), 'utf8'));
    return `[${title}](${posix.relative(posix.dirname(page), file)}${anchor})`;
  });
}
