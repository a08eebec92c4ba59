import { expect, it, vi } from 'vitest';
import { checkList } from '../../client/apply/apply-check';
import { SharedSpecs } from '../../core/occurrences';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const spec = { cron: '0 2 * * *', skipDays: ['holidays'] };
const declared = ['a', 'b', 'c'].map((scheduleId) => someSchedule({ scheduleId, spec }));

/** Counts the turns of the event loop in which something is evaluated. Each evaluation seems to take a second. */
function evaluations() {
  const { now } = Date;
  let [taken, turn] = [0, 0];
  vi.spyOn(Date, 'now').mockImplementation(() => now() + taken);
  const turns = new Set<number>();
  const evaluate = () => {
    taken += 1_000;
    turns.add(turn);
    setImmediate(() => turn++);
  };
  const { compile } = SharedSpecs.prototype;
  vi.spyOn(SharedSpecs.prototype, 'compile').mockImplementation(function (this: SharedSpecs, ...given) {
    evaluate();
    return compile.apply(this, given);
  });
  ledger().beforeClose(async () => void vi.restoreAllMocks());
  return { evaluate, turns };
}

it('dry runs of a freeze and of a calendar answer other requests between two schedules', async () => {
  const { client } = ledger();
  await client.calendars.put('holidays', { days: ['2026-03-03'] });
  for (const options of declared) await client.create(options);
  const { turns } = evaluations();
  await client.freezes.create({ all: true, to: new Date('2026-04-01T00:00:00Z'), dryRun: true });
  expect(turns.size).toBe(3);
  turns.clear();
  await client.calendars.put('holidays', { days: [], dryRun: true });
  expect(turns.size).toBe(3);
});

it('an apply answers other requests between the checks of two schedules', async () => {
  const { evaluate, turns } = evaluations();
  const now = () => {
    evaluate();
    return new Date('2026-03-01T00:30:00Z');
  };
  const context = { namespace: 'default', now, codec: { encode: async () => ({}) } };
  const schedules = declared.map((options) => ({ ...options, spec: { cron: '0 2 * * *' } }));
  expect(await checkList(context as never, schedules, { source: 'billing', revision: 1 })).toHaveLength(3);
  expect(turns.size).toBe(3);
});
