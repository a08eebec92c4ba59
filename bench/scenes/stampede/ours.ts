import { millisecondsOf } from '../../../core/duration';
import type { SchedulePolicies } from '../../../core/schedule/policies';
import type { Bench } from '../../lib/bench';
import { calendarOf, workflowIdAt } from '../../lib/calendar';
import type { Ledger } from '../../lib/ledger';
import { ACTION, freshName } from '../../lib/names';
import { startTrigger } from '../../lib/trigger-process';
import { inParallel, seconds } from '../../lib/wait';
import { type Contender, lagsAt, type StampedeSize } from './contender';

/** The assumed number of creations per second, from which the instant is computed. */
const CREATIONS_PER_SECOND = 150;
const CREATIONS_IN_FLIGHT = 8;
/** A cautiously assumed rate. It gives the earliest time at which the trigger may begin. */
const HANDED_OVER_PER_SECOND = 50;

/** How many seconds before the instant the trigger may begin; by then the first schedules must exist. */
function leadSecondsOf(preStart: SchedulePolicies['preStart'], schedules: number): number {
  if (preStart === undefined || typeof preStart === 'boolean') return 0;
  return Math.min(millisecondsOf(preStart)! / 1_000, schedules / HANDED_OVER_PER_SECOND);
}

/** The contender that is `escapement run` on its own ledger, with the defaults of a schedule except `preStart`. */
export function ours(
  bench: Bench,
  { count, warmUp, quietSeconds }: StampedeSize,
  variant: { series: string; preStart?: SchedulePolicies['preStart'] },
): Contender {
  const { address, namespace } = bench.servers;
  const lagsOf = (ledger: Ledger, schedules: number) => {
    let scheduleIds: string[] = [];
    const inAll = (work: (scheduleId: string) => Promise<unknown>) =>
      inParallel(schedules, CREATIONS_IN_FLIGHT, (index) => work(scheduleIds[index]!));
    return lagsAt(
      bench,
      quietSeconds + schedules / CREATIONS_PER_SECOND + leadSecondsOf(variant.preStart, schedules),
      async (instant) => {
        const prefix = freshName('ours');
        scheduleIds = Array.from({ length: schedules }, (_, index) => `${prefix}-${index}`);
        await inAll((scheduleId) =>
          ledger.client.create({
            scheduleId,
            spec: { calendars: [calendarOf(instant)] },
            action: ACTION,
            ...(variant.preStart !== undefined && { policies: { preStart: variant.preStart } }),
          }),
        );
        const workflowIds = scheduleIds.map((scheduleId) => workflowIdAt(scheduleId, instant));
        return { namespace, prefix, workflowIds };
      },
      () => inAll((scheduleId) => ledger.client.getHandle(scheduleId).delete()),
    );
  };
  return {
    series: variant.series,
    stampede: () =>
      bench.withLedger(async (ledger) =>
        bench.during(await startTrigger({ databaseUrl: ledger.databaseUrl, address }), async () => {
          await lagsOf(ledger, warmUp);
          // Leaves time for the trigger's other writes.
          await seconds(2);
          return lagsOf(ledger, count);
        }),
      ),
  };
}
