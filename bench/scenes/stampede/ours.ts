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
  { warmUp, quietSeconds }: StampedeSize,
  variant: { series: string; preStart?: false },
): Contender {
  const { address, namespace } = bench.servers;
  const lagsOf = (ledger: Ledger, count: number) =>
    lagsAt(bench, quietSeconds + count / CREATIONS_PER_SECOND, async (instant) => {
      const prefix = freshName('ours');
      const scheduleIds = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
      await inParallel(count, CREATIONS_IN_FLIGHT, (index) =>
        ledger.client.create({
          scheduleId: scheduleIds[index]!,
          spec: { calendars: [calendarOf(instant)] },
          action: ACTION,
          ...(variant.preStart === false && { policies: { preStart: false } }),
        }),
      );
      const workflowIds = scheduleIds.map((scheduleId) => workflowIdAt(scheduleId, instant));
      return { namespace, prefix, workflowIds };
    });
  return {
    series: variant.series,
    stampede: (count) =>
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
