import { ScheduleClient } from '@temporalio/client';
import type { Bench } from '../../lib/bench';
import { calendarOf, secondsAhead, workflowIdAt } from '../../lib/calendar';
import { allCompleted } from '../../lib/histories';
import { ACTION, freshName } from '../../lib/names';
import type { NativeNamespace } from '../../lib/servers';
import { settle } from '../../lib/settle';
import { at, inParallel } from '../../lib/wait';
import { type Contender, lagsAt, type Prepared, type StampedeSize } from './contender';

/** Creations a second that the instant is set by: each is a workflow of the server's own. */
const CREATIONS_PER_SECOND = 25;
/** Firings a second that a rehearsal is allowed for. */
const REHEARSED_PER_SECOND = 20;
const CREATIONS_IN_FLIGHT = 16;

/**
 * Temporal's own Schedules, with their defaults. Each has fired once, long before, so that what is measured is a schedule at
 * work. Deleted after each stampede, so that they do not burden the next.
 */
export function native(
  bench: Bench,
  { warmUp, quietSeconds, rehearse }: StampedeSize,
  { series, namespace }: NativeNamespace,
): Contender {
  const { connection, servers } = bench;
  const client = new ScheduleClient({ connection, namespace });
  const lagsOf = (count: number) => {
    const creating = quietSeconds + count / CREATIONS_PER_SECOND + 5;
    const rehearsing = rehearse ? quietSeconds + count / REHEARSED_PER_SECOND + 5 : 0;
    let scheduleIds: string[] = [];
    const inAll = (work: (scheduleId: string) => Promise<unknown>) =>
      inParallel(count, CREATIONS_IN_FLIGHT, (index) => work(scheduleIds[index]!));
    const prepare = async (instant: number, leadSeconds: number): Promise<Prepared> => {
      const prefix = freshName('native');
      scheduleIds = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
      const rehearsedAt = secondsAhead((leadSeconds * creating) / (creating + rehearsing + quietSeconds));
      const instants = rehearse ? [rehearsedAt, instant] : [instant];
      await inAll((scheduleId) =>
        client.create({ scheduleId, spec: { calendars: instants.map(calendarOf) }, action: ACTION }),
      );
      await settle(servers, quietSeconds);
      if (rehearse) {
        if (Date.now() > rehearsedAt) bench.progress('the native schedules were not at rest at their rehearsal');
        await at(rehearsedAt);
        await allCompleted(connection, { namespace, prefix, count });
        await settle(servers, quietSeconds);
      }
      const workflowIds = scheduleIds.map((scheduleId) => workflowIdAt(scheduleId, instant));
      return { namespace, prefix, workflowIds, rehearsed: rehearse ? count : 0 };
    };
    return lagsAt(bench, creating + rehearsing + quietSeconds, prepare, async () => {
      await inAll((scheduleId) => client.getHandle(scheduleId).delete());
      await settle(servers, 0);
    });
  };
  return {
    series,
    async stampede(count) {
      await lagsOf(warmUp);
      return lagsOf(count);
    },
  };
}
