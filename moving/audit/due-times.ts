import type { CompiledSpec } from '../../core/occurrences';
import type { DueTime } from './classes';

/** The maximum number of times that the server lists per call. */
const CHUNK = 1_000;

/**
 * Returns the instants at which the server starts in `(from, to]`, including its jitter; at most 1,000. The instants
 * are in epoch milliseconds.
 */
export type ServerTimes = (from: number, to: number) => Promise<number[]>;

/** Due times in order, and whether the server lists the same times. */
export interface DueChunk {
  times: DueTime[];
  /**
   * The range of this chunk; the next chunk continues where it ends. The range is in epoch milliseconds, both ends
   * inclusive.
   */
  span: { from: number; to: number };
  /**
   * How the server's list for `span` compares with the times computed from the spec. `silent`: it gave no list. If the
   * lists differ and the schedule has no jitter, the server's times are used.
   */
  server: 'same' | 'other' | 'silent';
}

/**
 * The due times of a spec in `[from, to]`, up to a thousand per chunk. For a schedule with jitter, `due` is the latest
 * time that the jitter allows if the server gives no list, or one that does not match the spec's times.
 *
 * @param jitter maximum that the server may add, in milliseconds
 */
export async function* dueTimes(
  compiled: CompiledSpec,
  jitter: number,
  { from, to }: { from: number; to: number },
  ask: ServerTimes,
): AsyncGenerator<DueChunk> {
  let cursor = from - 1;
  for (;;) {
    const nominals: number[] = [];
    let next = compiled.next(cursor);
    while (next !== undefined && next <= to && nominals.length < CHUNK) {
      nominals.push(next);
      next = compiled.next(next);
    }
    const isLast = next === undefined || next > to;
    // The range includes times between two chunks that only the server lists.
    const end = isLast ? to : nominals.at(-1)!;
    const listed = await ask(cursor, end + jitter).catch(() => undefined);
    const chunk = pair(nominals, jitter, listed && (jitter > 0 ? listed : listed.filter((time) => time <= end)));
    if (chunk.times.length > 0 || chunk.server === 'other') yield { ...chunk, span: { from: cursor + 1, to: end } };
    if (isLast) return;
    cursor = end;
  }
}

/**
 * Pairs nominal times with the server's list. A start is due at most `jitter` after its nominal time, and not after the
 * next nominal time.
 */
export function pair(
  nominals: readonly number[],
  jitter: number,
  listed: readonly number[] | undefined,
): Omit<DueChunk, 'span'> {
  const bound = (nominal: number, index: number) => {
    const following = nominals[index + 1] ?? Number.POSITIVE_INFINITY;
    return Math.min(nominal + jitter, following);
  };
  const atMost = () => nominals.map((nominal, index) => ({ nominal, due: bound(nominal, index) }));
  if (!listed) return { times: atMost(), server: 'silent' };
  const isSame =
    (jitter > 0 ? listed.length >= nominals.length : listed.length === nominals.length) &&
    nominals.every((nominal, index) => listed[index]! >= nominal && listed[index]! <= bound(nominal, index));
  if (isSame) return { times: nominals.map((nominal, index) => ({ nominal, due: listed[index]! })), server: 'same' };
  if (jitter > 0) return { times: atMost(), server: 'other' };
  return { times: listed.map((time) => ({ nominal: time, due: time })), server: 'other' };
}
