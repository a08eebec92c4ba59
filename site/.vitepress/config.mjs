import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { defineConfig } from 'vitepress';
import { slugOf } from '../../scripts/lib/docs/headings.mjs';
import { readIndex } from '../../scripts/lib/docs/index-page.mjs';

const index = readIndex(readFileSync(new URL('../pages/index.md', import.meta.url), 'utf8'));
const ofPage = ({ title, file }) => ({ text: title, link: `/${file.replace(/\.md$/, '')}` });
const reference = JSON.parse(readFileSync(new URL('../pages/reference/typedoc-sidebar.json', import.meta.url), 'utf8'));

export default defineConfig({
  title: 'Escapement',
  description: 'Guaranteed cron for Temporal.',
  lang: 'en',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: '.cache',
  // A link to a page that is not there fails the build.
  ignoreDeadLinks: false,
  markdown: {
    // The anchors that the same pages have elsewhere.
    anchor: { slugify: slugOf },
    config: drawMermaid,
  },
  vite: { build: { chunkSizeWarningLimit: 4_000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Guarantees', link: '/guarantees' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: {
      ...sidebarsOfReference(),
      '/': [
        { text: 'Index', link: '/' },
        ...index.map(({ title, pages }, at) => ({ text: title, collapsed: at > 0, items: pages.map(ofPage) })),
        {
          text: 'This project',
          collapsed: true,
          items: [
            { text: 'Changelog', link: '/changelog' },
            { text: 'Working on Escapement', link: '/contributing' },
            { text: 'Figures', link: '/bench' },
          ],
        },
      ],
    },
    // Each page lies beside itself as Markdown.
    editLink: { pattern: '/:path', text: 'This page as Markdown' },
  },
});

/**
 * A page contains its whole sidebar. So the sidebar of a page of the reference has all entries of the package, but only
 * the neighbours of the page: the classes beside a class.
 */
function sidebarsOfReference() {
  const beside = reference.flatMap((entry) =>
    entry.items.map((group) => [`${posix.dirname(group.items[0].link)}/`, sidebarOfReference(entry, group)]),
  );
  return Object.fromEntries([...beside, ['/reference/', sidebarOfReference()]]);
}

function sidebarOfReference(shown, group) {
  const items = reference.map((entry) => ({
    text: entry.text,
    link: entry.link,
    ...(entry === shown && { items: [{ ...group, collapsed: false }] }),
  }));
  return [
    { text: 'Index', link: '/' },
    { text: 'The TypeScript API', link: '/typescript', items },
  ];
}

/** Blocks of mermaid are drawn in the browser; their text is there without a script too. */
function drawMermaid(markdown) {
  const fence = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, at, ...rest) => {
    const { info, content } = tokens[at];
    if (info.trim() !== 'mermaid') return fence(tokens, at, ...rest);
    return `<MermaidDiagram code="${encodeURIComponent(content)}" />`;
  };
}
