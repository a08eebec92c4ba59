import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');

/** A page of Markdown that people read, by its path from the root of this repository. */
export interface DocPage {
  file: string;
  text: string;
}

/** All pages: those of docs/ and its decisions, and those beside the code. */
export function docPages(): DocPage[] {
  const inside = (folder: string) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => (folder === '.' ? name : `${folder}/${name}`));
  return [...inside('.'), 'bench/README.md', ...inside('docs'), ...inside('docs/decisions')].map((file) => ({
    file,
    text: readFileSync(join(ROOT, file), 'utf8'),
  }));
}

/** A block of code of a page. */
export interface DocBlock {
  file: string;
  /** The line of its first fence. */
  line: number;
  /** The text after the first fence: the language, and more. */
  info: string;
  code: string;
}

/** The blocks of code of all pages, in their order. */
export function docBlocks(pages: DocPage[]): DocBlock[] {
  return pages.flatMap(({ file, text }) =>
    [...text.matchAll(/^([ \t]*)```(\S.*)\n([\s\S]*?)^\1```[ \t]*$/gm)].map(
      ({ 1: indent, 2: info, 3: code, index }) => ({
        file,
        line: text.slice(0, index).split('\n').length,
        info: info!.trim(),
        code: code!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      }),
    ),
  );
}
