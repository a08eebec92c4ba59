import { ScheduleClient } from '@temporalio/client';
import type { Bench } from '../../lib/bench';
import { calendarOf, workflowIdAt } from '../../lib/calendar';
import { ACTION, freshName } from '../../lib/names';
import type { NativeNamespace } from '../../lib/servers';
import { settle } from '../../lib/settle';
import { inParallel } from '../../lib/wait';
import { type Contender, lagsAt, type StampedeSize } from './contender';

/** Creations a second that the instant is set by: each is a workflow of the server's own. */
const CREATIONS_PER_SECOND = 25;
const CREATIONS_IN_FLIGHT = 16;

/** Temporal's own Schedules, with their defaults. Deleted after each stampede, so that they do not burden the next. */
export function native(
  bench: Bench,
  { warmUp, quietSeconds }: StampedeSize,
  { series, namespace }: NativeNamespace,
): Contender {
  const client = new ScheduleClient({ connection: bench.connection, namespace });
  const lagsOf = (count: number) => {
    let scheduleIds: string[] = [];
    return lagsAt(
      bench,
      2 * quietSeconds + count / CREATIONS_PER_SECOND + 5,
      async (instant) => {
        const prefix = freshName('native');
        scheduleIds = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
        await inParallel(count, CREATIONS_IN_FLIGHT, (index) =>
          client.create({
            scheduleId: scheduleIds[index]!,
            spec: { calendars: [calendarOf(instant)] },
            action: ACTION,
          }),
        );
        await settle(bench.servers, quietSeconds);
        const workflowIds = scheduleIds.map((scheduleId) => workflowIdAt(scheduleId, instant));
        return { namespace, prefix, workflowIds };
      },
      async () => {
        await inParallel(count, CREATIONS_IN_FLIGHT, (index) => client.getHandle(scheduleIds[index]!).delete());
        await settle(bench.servers, 0);
      },
    );
  };
  return {
    series,
    async stampede(count) {
      await lagsOf(warmUp);
      return lagsOf(count);
    },
  };
}
