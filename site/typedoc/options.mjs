import { fileURLToPath } from 'node:url';
import { entryPoints, REFERENCE } from '../../scripts/lib/docs/entry-points.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The reference of the TypeScript API, from the types that the package ships. */
export default {
  entryPoints: entryPoints().map(({ types }) => here(`../../${types}`)),
  tsconfig: here('./tsconfig.json'),
  plugin: ['typedoc-plugin-markdown', 'typedoc-vitepress-theme', here('./plugin.mjs')],
  docsRoot: here('../pages'),
  out: here(`../pages/${REFERENCE}`),
  name: 'The TypeScript API',
  readme: 'none',
  disableSources: true,
  hideGenerator: true,
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  indexFormat: 'table',
  // Entries stand beside each other, not below `escapement`.
  navigation: { includeGroups: true, includeFolders: false, includeCategories: false },
  sanitizeComments: true,
  // The plugin shows which error it is.
  preservedTypeAnnotationTags: ['@throws'],
  // A default is written as a sentence, not as code.
  jsDocCompatibility: { defaultTag: false },
  // A type that no entry exports is named without a link. A link that leads nowhere is an error.
  validation: { notExported: false, invalidLink: true, notDocumented: false },
  treatWarningsAsErrors: true,
};
