import { expect, it } from 'vitest';
import { docPages } from '../support/pages/doc-pages';

/** Words in a row that two passages may share: what is longer was said twice. */
const SHARED_AT_MOST = 10;
/** Written by scripts, or lists of what other pages say. */
const GENERATED = /^docs\/(commands|command-json|defaults|README)\.md$/;
/** What follows this mark was written by a script. */
const WRITTEN_BY_SCRIPTS = /^<!-- From here on written by [\s\S]*/m;

it('nothing is said twice: no two passages of the pages have more than ten words in a row in common', () => {
  const first = new Map<string, string>();
  const twice: string[] = [];
  for (const { file, text } of docPages().filter(({ file }) => /^(README|docs\/[\w-]+)\.md$/.test(file))) {
    if (GENERATED.test(file)) continue;
    for (const passage of passagesOf(text)) {
      const words = passage.toLowerCase().match(/[a-z_’']+/g) ?? [];
      for (let start = 0; start + SHARED_AT_MOST < words.length; start++) {
        const shared = words.slice(start, start + SHARED_AT_MOST + 1).join(' ');
        const before = first.get(shared);
        if (before !== undefined) twice.push(`${before} and ${file}: ${shared}`);
        else first.set(shared, file);
      }
    }
  }
  expect(twice).toEqual([]);
});

/** Paragraphs and rows, without code in blocks, comments and where links lead. */
function passagesOf(text: string): string[] {
  return text
    .replace(WRITTEN_BY_SCRIPTS, '')
    .replace(/^ *```[\s\S]+?^ *```/gm, '\n\n')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/\]\([^)]*\)/g, ']')
    .split(/\n\s*\n|\n(?=[|#-])/);
}
