import { expect, it } from 'vitest';
import { announceAll } from '../support/announced';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';
import { DUE, SLOW } from '../trigger/claim/ahead';

const ledger = useLedger('2026-03-01T00:30:00Z');
const escapement = (...args: string[]) => runCommand(args, { DATABASE_URL: ledger().databaseUrl });

/** A schedule with a firing that was claimed ahead, and whose start was announced. */
async function handedOver(scheduleId: string): Promise<string> {
  await ledger().client.create(someSchedule({ scheduleId, spec: { cron: '0 * * * *' } }));
  const trigger = await ledger().trigger({ limits: SLOW });
  ledger().clock.set('2026-03-01T00:30:00Z');
  await trigger.passes.claim();
  ledger().clock.set('2026-03-01T00:59:51Z');
  expect((await trigger.passes.claim()).claimed).toHaveLength(1);
  await announceAll(ledger(), trigger);
  return scheduleId;
}

it('schedule pause, update and delete name a firing that was handed over ahead, since it still begins', async () => {
  const scheduleId = await handedOver('hourly');
  const line = (how: string) => `\nClaimed ahead of time, and still to begin ${how}: 'hourly' of 2026-03-01T01:00:00Z.`;
  const paused = await escapement('schedule', 'pause', scheduleId);
  expect(paused.stdout).toBe(`Paused 'hourly'.${line('in spite of the pause')}`);
  const updated = await escapement('schedule', 'update', scheduleId, '--note', 'why');
  expect(updated.stdout).toMatch(/^'hourly' is at version/);
  expect(updated.stdout).toContain(line('with the definition with which it was claimed'));
  const deleted = await escapement('schedule', 'delete', scheduleId);
  expect(deleted.stdout).toBe(`Deleted 'hourly'.${line('in spite of the deletion')}`);
});

it('so do they with --json', async () => {
  const scheduleId = await handedOver('hourly');
  for (const command of [['pause'], ['update', '--note', 'why'], ['delete']]) {
    const [name, ...flags] = command as [string, ...string[]];
    const { stdout } = await escapement('schedule', name, scheduleId, ...flags, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ scheduleId, handedOver: [{ scheduleId, scheduledTime: DUE }] });
  }
});

it('freeze names it too', async () => {
  const scheduleId = await handedOver('hourly');
  // The command has the database's clock, by which only this start lies in the freeze.
  await ledger().query(`update escapement.firings set starts_at = now() + interval '1 minute'`);
  const frozen = await escapement('freeze', '--schedule', scheduleId, '--to', '2099-01-01');
  expect(frozen.stdout).toContain(
    "\nClaimed ahead of time, and still to begin in spite of the freeze: 'hourly' of 2026-03-01T01:00:00Z.",
  );
});
