import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../project.mjs';

/** The folder of the reference among the site's pages. */
export const REFERENCE = 'reference';

/**
 * What a program can import from the package, according to `exports` in package.json.
 *
 * @returns {{ name: string, types: string, source: string, page: string }[]} `name`, such as `escapement/trigger`; the
 *   built types, `dist/trigger/index.d.ts`; their source, `trigger/index.ts`; the page of the reference in the site
 */
export function entryPoints() {
  const { name: whole, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return Object.entries(exports)
    .filter(([, { types }]) => types)
    .map(([path, { types }]) => {
      const name = `${whole}${path.slice(1)}`;
      const built = types.slice('./'.length);
      const source = built.replace(/^dist\/(.+)\.d\.ts$/, '$1.ts');
      return { name, types: built, source, page: `${REFERENCE}/${name}/index.md` };
    });
}
