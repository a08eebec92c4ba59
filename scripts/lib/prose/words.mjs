/**
 * Words and phrases that the glossary replaces with a word of the field, or that must be read twice.
 *
 * @type {[pattern: RegExp, instead: string][]}
 */
const REPLACED = [
  [/\b(?:an?|the|each|every|one|daily|whole|last|next|second) look\b/i, 'a check, a poll, a read or a pass'],
  [/\blook(?:s|ed|ing)? on\b/i, 'watch'],
  [/\bbeat(?:s|ing)?\b/i, 'take precedence over; of a sign of life: heartbeat'],
  [/\bput(?:s|ting)? (?:\w+ )?off\b/i, 'postpone'],
  [/\bbur(?:y|ies|ied|ial|ials|ying)\b/i, 'park'],
  [/\b(?:tell|tells|told|telling) (?:\w+ )?apart\b/i, 'distinguish'],
  [/\btells? of\b/i, 'report'],
  [/\bturn(?:s|ed|ing)? over\b/i, 'start the next one'],
  [/\bin the same breath\b/i, 'at once'],
  [/\bhang(?:s|ing)? on\b/i, 'depend on'],
  [/\bbut for\b/i, 'except'],
  [/\banew\b/i, 'again'],
  [/\bpages? of (?:keys|rows|claims|timers|starts|ends|redrives|interrupts|leases)\b/i, 'batch'],
  [/\b(?:take|delete|count)s? (?:\w+ ){0,6}page of\b/i, 'batch'],
  [
    /\b(?:whilst|thereof|herein|wherein|hereby|whereupon|utili[sz]e[sd]?|leverages?|in order to|prior to)\b/i,
    'plain English',
  ],
];

/**
 * The replaced words in a sentence. Code is not checked.
 *
 * @param {string} sentence
 * @returns {{ word: string, instead: string }[]}
 */
export function replacedWords(sentence) {
  const prose = sentence.replace(/`[^`]*`/g, '``');
  return REPLACED.flatMap(([pattern, instead]) => {
    const [word] = pattern.exec(prose) ?? [];
    return word ? [{ word, instead }] : [];
  });
}
