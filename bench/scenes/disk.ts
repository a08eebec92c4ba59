import { oneServer } from '../../temporal/temporal';
import { TemporalDouble } from '../../testing';
import { Trigger } from '../../trigger';
import type { Bench } from '../lib/bench';
import type { Ledger } from '../lib/ledger';
import { bytesOfFirings, walPosition } from '../lib/measure/disk-use';
import { rowVersionsAFiring } from '../lib/measure/row-versions';
import { ACTION, WORKFLOW_TYPE } from '../lib/names';
import { check, figure } from '../lib/result';
import { defineScene } from '../lib/scene';
import { SILENT } from '../lib/silent';

interface Size {
  /** The number of schedules that fire each hour. */
  schedules: number;
  hours: number;
}

const HOURS_A_MONTH = 730;
const HOURLY_SCHEDULES = 1_000;
/** The number of dead row versions that a firing leaves: it is inserted, announced, linked and closed. */
const DEAD_VERSIONS_A_FIRING = 3;
/** The time between the hour, at which a firing is linked, and the recording of its workflow's end. */
const TAKES_MILLISECONDS = 10_000;

export const disk = defineScene<Size>({
  name: 'disk',
  title: 'What the ledger takes on disk for firings that completed, with its indexes',
  full: { schedules: 1_000, hours: 72 },
  quick: { schedules: 10, hours: 2 },

  async run(bench, { schedules, hours }) {
    return bench.withLedger(async (ledger) => {
      const begun = await walPosition(ledger);
      const firings = await fireHourly(bench, ledger, { schedules, hours });
      const wal = (await walPosition(ledger)) - begun;
      const rowVersions = await rowVersionsAFiring(ledger);
      const asWritten = await bytesOfFirings(ledger);
      await ledger.query('vacuum full analyze escapement.firings');
      const packed = await bytesOfFirings(ledger);
      const gigabytes = (bytes: number) => ((bytes / firings) * HOURLY_SCHEDULES * HOURS_A_MONTH) / 1e9;
      return {
        figures: [
          figure('as written', 'a firing', 'bytes', [asWritten / firings]),
          figure('as written', 'row versions a firing', '', [rowVersions]),
          figure('as written', 'WAL a firing', 'bytes', [wal / firings]),
          figure('as written', '1,000 hourly schedules, a month', 'GB', [gigabytes(asWritten)]),
          figure('packed', 'a firing', 'bytes', [packed / firings]),
          figure('packed', '1,000 hourly schedules, a month', 'GB', [gigabytes(packed)]),
        ],
        verdicts: [],
        checks: [check('each firing completed', firings === schedules * hours, `${schedules * hours} firings`)],
        notes: [
          'The WAL is that of the whole server, whose Temporal rests meanwhile, with full pages after each checkpoint.',
          'As written is with a vacuum where autovacuum would come by its defaults. Packed is after `vacuum full`.',
          'Temporal is played, by a moved clock; the ledger is real. Schedule IDs have 31 characters, arguments lie in the definition.',
        ],
        plots: [],
      };
    });
  },
});

/**
 * Advances the clock hour by hour, and claims, starts, links and closes the firings of each hour. @returns how many
 * firings completed
 */
async function fireHourly(bench: Bench, ledger: Ledger, { schedules, hours }: Size): Promise<number> {
  let now = Date.UTC(2026, 2, 1, 0, 30);
  const clock = { now: () => now };
  const double = new TemporalDouble(clock, { namespaces: [bench.servers.namespace] });
  double.play(WORKFLOW_TYPE, { takes: TAKES_MILLISECONDS });
  const client = ledger.newClient({ now: () => new Date(now) });
  for (let n = 0; n < schedules; n++) {
    const scheduleId = `team-${String(n % 50).padStart(3, '0')}-hourly-report-${String(n).padStart(8, '0')}`;
    await client.create({
      scheduleId,
      spec: { cron: '0 * * * *' },
      action: ACTION,
      policies: { overlap: 'ALLOW_ALL' },
    });
  }
  const trigger = await Trigger.createOn({ connectionString: ledger.databaseUrl, clock, logger: SILENT }, async () =>
    oneServer(double),
  );
  try {
    let vacuumedAt = 0;
    for (let hour = 1; hour <= hours; hour++) {
      now = Date.UTC(2026, 2, 1, hour);
      while ((await trigger.passes.claim()).more);
      while ((await trigger.passes.dispatch()).more);
      now += 2 * TAKES_MILLISECONDS;
      while ((await trigger.passes.observe()).more);
      // Vacuumed at autovacuum's default threshold, since autovacuum itself may not run within this scene.
      const dead = DEAD_VERSIONS_A_FIRING * schedules * (hour - vacuumedAt);
      if (dead > 50 + 0.2 * schedules * hour) {
        await ledger.query('vacuum escapement.firings');
        vacuumedAt = hour;
      }
      if (hour % 12 === 0) bench.progress(`${hour} of ${hours} hours`);
    }
    now += 60_000;
    while ((await trigger.passes.observe()).more);
    return await ledger.count(`state = 'closed' and outcome = 'completed'`);
  } finally {
    await trigger.close();
  }
}
