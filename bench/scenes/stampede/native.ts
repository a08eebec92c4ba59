import { ScheduleClient } from '@temporalio/client';
import type { Bench } from '../../lib/bench';
import { calendarOf, secondsAhead, workflowIdAt } from '../../lib/calendar';
import { allCompleted } from '../../lib/measure/histories';
import { ACTION, freshName } from '../../lib/names';
import type { NativeNamespace } from '../../lib/servers';
import { settle } from '../../lib/settle';
import { at, inParallel } from '../../lib/wait';
import { type Contender, lagsAt, type Prepared, type StampedeSize } from './contender';

/**
 * The assumed number of creations per second, from which the first instant is computed. In Temporal's first scheduler,
 * each creation of a schedule starts a workflow of the server.
 */
const CREATIONS_PER_SECOND = 25;
/** The assumed number of firings per second in the first rehearsal. */
const REHEARSED_PER_SECOND = 10;
/** The safety factor for the time of later rehearsals, relative to the last one. */
const MARGIN = 1.3;
const CREATIONS_IN_FLIGHT = 16;

/**
 * The contender that is Temporal's own Schedules, with their defaults. With `rehearse`, each schedule has fired once
 * before, so that schedules in use are measured. That rehearsal replaces the warm-up burst. The schedules are deleted
 * after each burst, so that they do not slow down the next one.
 */
export function native(bench: Bench, size: StampedeSize, { series, namespace }: NativeNamespace): Contender {
  const { connection, servers } = bench;
  const { warmUp, quietSeconds, rehearse } = size;
  const client = new ScheduleClient({ connection, namespace });
  // The time that creating and firing each schedule takes, until the server is idle again.
  const secondsEach = { creating: 1 / CREATIONS_PER_SECOND, rehearsing: 1 / REHEARSED_PER_SECOND };
  const timed = async (phase: keyof typeof secondsEach, count: number, work: () => Promise<unknown>) => {
    const begun = Date.now();
    await work();
    await settle(servers, quietSeconds);
    secondsEach[phase] = (MARGIN * (Date.now() - begun)) / 1_000 / count;
  };
  const lagsOf = (count: number) => {
    const creating = quietSeconds + count * secondsEach.creating + 5;
    const rehearsing = rehearse ? quietSeconds + count * secondsEach.rehearsing + 5 : 0;
    let scheduleIds: string[] = [];
    const inAll = (work: (scheduleId: string) => Promise<unknown>) =>
      inParallel(count, CREATIONS_IN_FLIGHT, (index) => work(scheduleIds[index]!));
    const prepare = async (instant: number, leadSeconds: number): Promise<Prepared> => {
      const prefix = freshName('native');
      scheduleIds = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
      const rehearsedAt = secondsAhead((leadSeconds * creating) / (creating + rehearsing + quietSeconds));
      const instants = rehearse ? [rehearsedAt, instant] : [instant];
      const calendars = instants.map(calendarOf);
      await timed('creating', count, () =>
        inAll((scheduleId) => client.create({ scheduleId, spec: { calendars }, action: ACTION })),
      );
      const workflowIds = scheduleIds.map((scheduleId) => workflowIdAt(scheduleId, instant));
      if (!rehearse) return { namespace, prefix, workflowIds };
      if (Date.now() > rehearsedAt) return { namespace, prefix, workflowIds, late: true };
      await at(rehearsedAt);
      await timed('rehearsing', count, () => allCompleted(connection, { namespace, prefix, count }));
      return { namespace, prefix, workflowIds, rehearsed: count };
    };
    return lagsAt(bench, creating + rehearsing + quietSeconds, prepare, async () => {
      await inAll((scheduleId) => client.getHandle(scheduleId).delete());
      await settle(servers, 0);
    });
  };
  return {
    series,
    async stampede() {
      if (!rehearse) await lagsOf(warmUp);
      return lagsOf(size.count);
    },
  };
}
