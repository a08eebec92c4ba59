/** The closest of some names, when it is close enough to be meant: for "did you mean". */
export function closest(written: string, names: Iterable<string>): string | undefined {
  const wanted = written.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(wanted, name.toLowerCase(), least);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

/** `; did you mean X?`, or nothing. */
export function didYouMean(written: string, names: Iterable<string>): string {
  const name = closest(written, names);
  return name === undefined ? '' : `; did you mean ${name}?`;
}

/** Insertions, deletions, replacements and swaps of neighbours between two words; `limit` when there are that many. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit || a.length > 64) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, beforeLast[j - 2]! + 1);
      }
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
