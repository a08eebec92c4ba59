import { compileStored } from '../../client/context';
import type { Store } from '../../store/connection';
import { readSchedule, type ScheduleRow } from '../../store/reads/read-schedules';
import { firesThere, heldNotes, readSilence } from '../silence';

/** Settings that Temporal's schedules do not have, in words. */
export function lostSettings({ policies, action, tenant, source, owner, runbook, externalId }: ScheduleRow): string[] {
  return [
    ...(policies.catchupLimit === null
      ? []
      : [`catchupLimit ${policies.catchupLimit}: all within the catch-up window fire`]),
    ...(policies.maxConcurrent === null ? [] : [`maxConcurrent ${policies.maxConcurrent}`]),
    ...(policies.onUncertain === 'START' ? ['onUncertain START'] : []),
    ...(typeof policies.preStart === 'number' ? [`preStart ${policies.preStart} ms`] : []),
    ...(policies.parkedHolds === false || policies.parkedAtMost !== undefined ? ['parkedHolds and parkedAtMost'] : []),
    ...(policies.alerts === undefined ? [] : ['alerts']),
    ...(action.softTimeout === undefined ? [] : [`softTimeout ${action.softTimeout} ms`]),
    ...(tenant === '' ? [] : [`tenant ${tenant}`]),
    ...(owner === null ? [] : [`owner ${owner}`]),
    ...(runbook === null ? [] : [`runbook ${runbook}`]),
    ...(externalId === null ? [] : [`externalId ${externalId}`]),
    ...(source === null ? [] : [`declared by ${source}: take it out of the code`]),
  ];
}

/**
 * In words: the excluded and frozen times of the ledger, which would fire in Temporal, and the end of a pause, since a
 * pause in Temporal does not end by itself.
 */
export async function lostSilence(store: Store, row: ScheduleRow, now: Date): Promise<string[]> {
  const until = row.paused ? row.pausedUntil : null;
  return [
    ...(until === null
      ? []
      : [
          `paused until ${until.toISOString()}, when it fires here again: the native one stays paused, so export it then`,
        ]),
    ...(await firesThere(store, row, now)),
  ];
}

const HELD_BEFORE =
  'times that a freeze held back run on neither side if they were due while the native schedule was paused';

/**
 * In words: the times that freezes have held back and that the native schedule does not run, since they were due while
 * it was paused.
 *
 * @param liveSince when the native schedule became live, in epoch milliseconds; undefined if it may have been live at
 *   other times too
 */
export async function lostTimes(store: Store, scheduleId: string, liveSince: number | undefined): Promise<string[]> {
  const row = await readSchedule(store, scheduleId);
  const compiled = row && compileStored({ scheduleId, definition: row });
  if (!compiled || row.remainingActions === 0) return [];
  const answeredTo = row.answeredTo.getTime();
  const { isFrozen } = await readSilence(store, row, compiled, answeredTo);
  const until = liveSince ?? Date.now();
  let held = 0;
  for (let at = compiled.next(answeredTo); at !== undefined && at <= until; at = compiled.next(at)) {
    if (isFrozen(at)) held += 1;
  }
  return liveSince === undefined && held > 0 ? [HELD_BEFORE] : heldNotes(held);
}
