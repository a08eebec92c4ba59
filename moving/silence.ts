import { freezeAt } from '../core/decisions/freeze';
import type { CompiledSpec } from '../core/occurrences';
import type { Store } from '../store/connection';
import { readExclusions } from '../store/firings/exclude';
import { readFreezesOf } from '../store/freezes/matching';
import type { ScheduleRow } from '../store/reads/read-schedules';

/** No freeze begins later. */
const END_OF_TIME = new Date('9999-12-31T23:59:59Z');

/**
 * The due times of a schedule that run on neither side once the Temporal schedule continues. Nominal times are epoch
 * milliseconds.
 */
export interface Silence {
  isFrozen(at: number): boolean;
  /** Whether a freeze holds a nominal time back, or a person has excluded it. */
  isSilent(at: number): boolean;
}

/** @param answeredTo the ledger has answered every nominal time up to this instant. Epoch milliseconds. */
export async function readSilence(
  store: Store,
  row: ScheduleRow,
  compiled: CompiledSpec,
  answeredTo: number,
): Promise<Silence> {
  const since = new Date(answeredTo);
  const freezes = (await readFreezesOf(store, [{ ...row, since }], END_OF_TIME)).get(row.scheduleId) ?? [];
  const excluded = new Set((await readExclusions(store, row.scheduleId, since)).map(Number));
  const isFrozen = (at: number) => freezeAt(freezes, compiled.startTime(at)) !== undefined;
  return { isFrozen, isSilent: (at) => excluded.has(at) || isFrozen(at) };
}

/**
 * In words: the times after an instant that are excluded or frozen in the ledger, and that fire in Temporal all the
 * same.
 */
export async function firesThere(store: Store, row: ScheduleRow, after: Date): Promise<string[]> {
  const excluded = await readExclusions(store, row.scheduleId, after);
  const freezes = (await readFreezesOf(store, [{ ...row, since: after }], END_OF_TIME)).get(row.scheduleId) ?? [];
  return [
    ...(excluded.length === 0 ? [] : [`excluded times fire, ${excluded.length} from ${excluded[0]!.toISOString()} on`]),
    ...freezes
      .filter(({ to }) => to > after.getTime())
      .map(({ freezeId, from, to }) => {
        const which = from <= after.getTime() ? 'its later times' : 'its times';
        return `freeze ${freezeId} from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}: ${which} fire`;
      }),
  ];
}

export function heldNotes(held: number): string[] {
  return held > 0 ? [`${held} times that a freeze held back run on neither side`] : [];
}
