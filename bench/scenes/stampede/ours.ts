import type { Bench } from '../../lib/bench';
import { calendarOf, workflowIdAt } from '../../lib/calendar';
import type { Ledger } from '../../lib/ledger';
import { ACTION, freshName } from '../../lib/names';
import { startTrigger } from '../../lib/trigger-process';
import { inParallel, seconds } from '../../lib/wait';
import { type Contender, lagsAt, type StampedeSize } from './contender';

/** Creations a second that the instant is set by. */
const CREATIONS_PER_SECOND = 150;
const CREATIONS_IN_FLIGHT = 8;

/** `escapement run` on a ledger of its own, with the defaults of a schedule but for `preStart`. */
export function ours(
  bench: Bench,
  { count, warmUp, quietSeconds }: StampedeSize,
  variant: { series: string; preStart?: false },
): Contender {
  const { address, namespace } = bench.servers;
  const lagsOf = (ledger: Ledger, schedules: number) => {
    let scheduleIds: string[] = [];
    const inAll = (work: (scheduleId: string) => Promise<unknown>) =>
      inParallel(schedules, CREATIONS_IN_FLIGHT, (index) => work(scheduleIds[index]!));
    return lagsAt(
      bench,
      quietSeconds + schedules / CREATIONS_PER_SECOND,
      async (instant) => {
        const prefix = freshName('ours');
        scheduleIds = Array.from({ length: schedules }, (_, index) => `${prefix}-${index}`);
        await inAll((scheduleId) =>
          ledger.client.create({
            scheduleId,
            spec: { calendars: [calendarOf(instant)] },
            action: ACTION,
            ...(variant.preStart === false && { policies: { preStart: false } }),
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
          // Its bookkeeping too is done before the next.
          await seconds(2);
          return lagsOf(ledger, count);
        }),
      ),
  };
}
