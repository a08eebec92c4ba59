import { unlessInvalid } from '../../client/context';
import type { ScheduleSummary } from '../../client/describe/schedule-description';
import { freezeAt } from '../../core/decisions/freeze';
import { compileSpec } from '../../core/occurrences';
import type { Store } from '../../store/connection';
import { readFreezesOf } from '../../store/freezes/matching';

type Coming = Pick<ScheduleSummary, 'scheduleId' | 'tenant' | 'state' | 'definition'> & { times: Date[] };

/** A nominal time that does not fire as things stand. If both a freeze and a pause hold it, the freeze is named. */
export interface HeldTime {
  scheduledAt: Date;
  by: 'frozen' | 'paused';
}

export interface Held {
  /** The end of the freeze that holds the schedule now; undefined if no freeze does. */
  frozenUntil: Date | undefined;
  times: HeldTime[];
}

/**
 * What holds each schedule back, now and at the given nominal times. For a nominal time, the instant of its start
 * decides, jitter included.
 */
export async function readHeld(store: Store, schedules: Coming[], now: Date): Promise<Map<string, Held>> {
  const coming = schedules.map((schedule) => ({ ...schedule, starts: startsOf(schedule) }));
  const last = Math.max(now.getTime(), ...coming.flatMap(({ starts }) => starts));
  const timers = coming.map(({ scheduleId, tenant }) => ({ scheduleId, tenant, since: now }));
  const freezes = await readFreezesOf(store, timers, new Date(last));
  return new Map(
    coming.map(({ scheduleId, state: { paused, pausedUntil }, times, starts }) => {
      const stretches = freezes.get(scheduleId) ?? [];
      const holds = freezeAt(stretches, now.getTime());
      const held = times.flatMap((scheduledAt, at): HeldTime[] => {
        if (freezeAt(stretches, starts[at]!)) return [{ scheduledAt, by: 'frozen' }];
        const isPaused = paused && (pausedUntil === undefined || starts[at]! < pausedUntil.getTime());
        return isPaused ? [{ scheduledAt, by: 'paused' }] : [];
      });
      return [scheduleId, { frozenUntil: holds && new Date(holds.to), times: held }];
    }),
  );
}

function startsOf({ scheduleId, definition, times }: Coming): number[] {
  const compiled = unlessInvalid(() => compileSpec(definition.spec, { scheduleId }));
  return times.map((time) => compiled?.startTime(time.getTime()) ?? time.getTime());
}
