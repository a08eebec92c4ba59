export interface DiffLine {
  text: string;
  /** Whether the line has no counterpart in the other text. */
  isOwn: boolean;
}

/** Above this product of the numbers of lines, a comparison would block the browser. */
const PAIRS_AT_MOST = 4_000_000;

/** The lines of two texts, with a mark on lines that are not in their longest common subsequence. */
export function linesOf(one: string, other: string): { left: DiffLine[]; right: DiffLine[] } {
  const [a, b] = [one.split('\n'), other.split('\n')];
  const most = Math.min(a.length, b.length);
  let first = 0;
  while (first < most && a[first] === b[first]) first++;
  let last = 0;
  while (last < most - first && a.at(-1 - last) === b.at(-1 - last)) last++;
  const { left, right } = compared(a.slice(first, a.length - last), b.slice(first, b.length - last));
  const common = (lines: string[]) => lines.map((text) => ({ text, isOwn: false }));
  const [head, tail] = [common(a.slice(0, first)), common(a.slice(a.length - last))];
  return { left: [...head, ...left, ...tail], right: [...head, ...right, ...tail] };
}

/** Like {@link linesOf}, but all lines are marked if there are too many. */
function compared(a: string[], b: string[]): { left: DiffLine[]; right: DiffLine[] } {
  const [left, right]: [DiffLine[], DiffLine[]] = [[], []];
  const common = a.length * b.length > PAIRS_AT_MOST ? undefined : commonOf(a, b);
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (common && i < a.length && j < b.length && a[i] === b[j]) {
      left.push({ text: a[i++]!, isOwn: false });
      right.push({ text: b[j++]!, isOwn: false });
    } else if (j >= b.length || (i < a.length && (!common || common[i + 1]![j]! >= common[i]![j + 1]!))) {
      left.push({ text: a[i++]!, isOwn: true });
    } else {
      right.push({ text: b[j++]!, isOwn: true });
    }
  }
  return { left, right };
}

/** The length of the longest common subsequence from each pair of lines on. */
function commonOf(a: string[], b: string[]): number[][] {
  const common = [...a, ''].map(() => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i]![j] = a[i] === b[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
    }
  }
  return common;
}
