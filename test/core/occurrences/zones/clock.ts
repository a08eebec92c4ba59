export type Change = readonly [at: number, offset: number];

export interface Clock {
  /** The UTC offset at an instant, as a zone asks for it. */
  offsetAt(second: number): number;
  /** The instants that were asked for. */
  asked: number[];
}

/** A clock that begins with one UTC offset, and changes it at some instants, in order. */
export function clockWith(first: number, changes: readonly Change[]): Clock {
  const asked: number[] = [];
  const offsetAt = (second: number) => {
    asked.push(second);
    let offset = first;
    for (const [at, next] of changes) if (at <= second) offset = next;
    return offset;
  };
  return { offsetAt, asked };
}

/** The second of an instant such as `2026-03-29T01:00:00Z`. */
export function secondOf(instant: string): number {
  return Date.parse(instant) / 1000;
}
