/** Most words of a sentence that can be understood at the first reading. */
export const MOST_WORDS = 35;

// Splits text into sentences by the rules of Unicode.
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Abbreviations whose full stop does not end a sentence. */
const ABBREVIATED = /\b(e\.g|i\.e|vs|cf)\.(?=\s)/g;

/**
 * In this project a sentence may begin with a small letter, such as the name of a command or of a scene of the bench.
 */
const BEFORE_SMALL = /(?<=[\p{L}\p{N})'"]{2}(?<!\betc)[.!?]["')]?)(?= )/u;

/**
 * The sentences of a block of prose.
 *
 * @param {{ text: string, line: number }} block as `markdown.mjs` and `code.mjs` find it
 * @returns {{ text: string, line: number, words: number }[]}
 */
export function sentencesOf({ text, line }) {
  const sentences = [];
  // Code counts as one word and may begin a sentence, so it is replaced by a capitalised name while the text is split.
  const codes = [];
  const plain = text.replace(/`[^`]+`/g, (code) => `Code${codes.push(code) - 1}`);
  let newlines = 0;
  const marked = plain.replace(ABBREVIATED, '$1\ue000').replace(/\n/g, ' \u000b');
  for (const segment of [...segmenter.segment(marked)].flatMap((one) => one.segment.split(BEFORE_SMALL))) {
    const said = segment.replaceAll('\u000b', '').replaceAll('\ue000', '.').replace(/\s+/g, ' ').trim();
    const words = said.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    const whole = said.replace(/\bCode(\d+)/g, (_, index) => codes[index] ?? '');
    if (words > 0) sentences.push({ text: whole, line: line + newlines, words });
    newlines += segment.split('\u000b').length - 1;
  }
  return sentences;
}
