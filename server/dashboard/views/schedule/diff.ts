export interface DiffLine {
  text: string;
  /** Whether the line has no counterpart in the other text. */
  isOwn: boolean;
}

/** The lines of two texts, with a mark on lines that are not in their longest common subsequence. */
export function linesOf(one: string, other: string): { left: DiffLine[]; right: DiffLine[] } {
  const [a, b] = [one.split('\n'), other.split('\n')];
  const common = a.map(() => new Array<number>(b.length + 1).fill(0));
  common.push(new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i]![j] = a[i] === b[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
    }
  }
  const [left, right]: [DiffLine[], DiffLine[]] = [[], []];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      left.push({ text: a[i++]!, isOwn: false });
      right.push({ text: b[j++]!, isOwn: false });
    } else if (j >= b.length || (i < a.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      left.push({ text: a[i++]!, isOwn: true });
    } else {
      right.push({ text: b[j++]!, isOwn: true });
    }
  }
  return { left, right };
}
