import type { Bench } from '../lib/bench';
import { claimBacklog } from '../lib/fill/backlog';
import type { Ledger } from '../lib/ledger';
import { type EventLoopDelay, watchEventLoop } from '../lib/measure/event-loop';
import { freshName } from '../lib/names';
import { check, figure, verdict } from '../lib/result';
import { defineScene } from '../lib/scene';
import { startMeasuredTrigger } from '../lib/trigger-process';
import { untilCount } from '../lib/wait';

interface Size {
  /** The number of small tenants beside the large one, each with one firing. */
  tenants: number;
  /** Number of firings of the large tenant. */
  firings: number;
}

const DELAY = /^event loop (.*)$/gm;
/** All small tenants must be linked within this number of rounds. */
const ROUNDS_AT_MOST = 2;

export const tenants = defineScene<Size>({
  name: 'tenants',
  title: 'The firings of 10,000 tenants that wait beside 100,000 of one tenant',
  full: { tenants: 10_000, firings: 100_000 },
  quick: { tenants: 5, firings: 30 },

  async run(bench, size) {
    await bench.worker();
    return bench.withLedger(async (ledger) => {
      const { rounds, delay, idle, linked } = await linkAllOthers(bench, ledger, size);
      return {
        figures: [
          figure('a tenant with one firing', 'linked within, at the latest', 'rounds', [rounds]),
          figure('the trigger', 'event loop delay p50', 'ms', [delay.p50]),
          figure('the trigger', 'event loop delay p99', 'ms', [delay.p99]),
          figure('the trigger', 'event loop delay, longest', 'ms', [delay.max]),
          figure('an idle process beside it', 'event loop delay p50', 'ms', [idle.p50]),
          figure('an idle process beside it', 'event loop delay p99', 'ms', [idle.p99]),
          figure('an idle process beside it', 'event loop delay, longest', 'ms', [idle.max]),
        ],
        verdicts: [
          verdict('rounds until the last of the others was linked', '', [rounds], { atMost: ROUNDS_AT_MOST }),
          verdict('event loop delay p99', 'ms', [delay.p99], { atMost: 20 }),
          verdict('event loop delay p99, beyond that of an idle process', 'ms', [delay.p99 - idle.p99]),
        ],
        checks: [check('all others were linked', linked === size.tenants, `${linked} tenants`)],
        notes: [
          'In a round each tenant has a turn: as many links as there are tenants.',
          'The trigger runs with its defaults. The idle process is the bench, which only waits: its delay is what the machine and the scheduler make of a busy one.',
        ],
        plots: [],
      };
    });
  },
});

async function linkAllOthers(bench: Bench, ledger: Ledger, size: Size) {
  const { address } = bench.servers;
  const prefix = freshName('tenants');
  const count = size.tenants + size.firings;
  const tenant = `case when number <= ${size.tenants} then 'tenant-' || number else 'tenant-large' end`;
  await claimBacklog(ledger, address, { prefix, count, tenant });
  const trigger = await startMeasuredTrigger({ databaseUrl: ledger.databaseUrl, address, timeEventLoop: true });
  return bench.during(trigger, async () => {
    const idle = watchEventLoop();
    const read = () => ledger.count(`linked_at is not null and tenant <> 'tenant-large'`);
    await untilCount('linked firings of the others', size.tenants, read, { everyMilliseconds: 500 });
    // The trigger reports its event loop's delay each second.
    await trigger.says('event loop');
    const told = [...trigger.log().matchAll(DELAY)].map(([, json]) => JSON.parse(json!) as EventLoopDelay);
    const [found] = await ledger.query<{ linked: number; last: number }>(
      `select count(*)::int as linked, max(place)::float8 as last
       from (select tenant, rank() over (order by linked_at) as place from escapement.firings where linked_at is not null) f
       where tenant <> 'tenant-large'`,
    );
    const { linked, last } = found!;
    return { linked, rounds: last / (size.tenants + 1), delay: told.at(-1)!, idle: idle() };
  });
}
