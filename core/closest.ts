import { distance } from 'fastest-levenshtein';

/**
 * The candidate that `word` was probably meant to be; undefined if none is similar. Upper and lower case are not
 * distinguished.
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const name = candidate.toLowerCase();
    const mistakes = distance(wanted, name);
    const candidateDistance = letters(name) === letters(wanted) ? Math.min(1, mistakes) : mistakes;
    if (candidateDistance < bestDistance) {
      best = candidate;
      bestDistance = candidateDistance;
    }
  }
  return best;
}

/** The letters of a word, sorted: the same letters in another order count as one mistake. */
function letters(word: string): string {
  return [...word].sort().join('');
}

export function didYouMean(word: string, candidates: Iterable<string>): string {
  const name = closest(word, candidates);
  return name === undefined ? '' : `; did you mean ${name}?`;
}
