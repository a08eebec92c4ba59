import { freezeAt } from '../core/decisions/freeze';
import type { CompiledSpec } from '../core/occurrences';
import type { Store } from '../store/connection';
import { readExclusions } from '../store/firings/exclude';
import { readFreezesOf } from '../store/freezes/matching';
import type { ScheduleRow } from '../store/reads/read-schedules';

/** No freeze begins later. */
export const END_OF_TIME = new Date('9999-12-31T23:59:59Z');

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

export function heldNotes(held: number): string[] {
  return held > 0 ? [`${held} times that a freeze held back run on neither side`] : [];
}
