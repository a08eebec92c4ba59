import { readFileSync } from 'node:fs';
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
      { text: 'Guarantees', link: '/guarantees' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: {
      // Each page contains its sidebar: the some 300 links of the reference stand only in pages of the reference.
      '/reference/': [
        { text: 'Index', link: '/' },
        { text: 'The TypeScript API', link: '/typescript', items: reference },
      ],
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

/** Blocks of mermaid are drawn in the browser; their text is there without a script too. */
function drawMermaid(markdown) {
  const fence = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, at, ...rest) => {
    const { info, content } = tokens[at];
    if (info.trim() !== 'mermaid') return fence(tokens, at, ...rest);
    return `<MermaidDiagram code="${encodeURIComponent(content)}" />`;
  };
}
