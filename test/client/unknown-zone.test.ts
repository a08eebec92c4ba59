import { expect, it } from 'vitest';
import { InvalidScheduleError } from '../../index';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** The schedules get a time zone that only newer programs know, or get back one that is known here. */
const setZone = (zone: string) =>
  ledger().query(`update escapement.schedule_versions set spec = jsonb_set(spec, '{timezone}', to_jsonb($1::text))`, [
    zone,
  ]);
const UNKNOWN = 'cannot be evaluated (spec.timezone: "Mars/Base" is not a time zone';

it('a client that does not know the time zone ends no pause, so that no occurrence of the pause fires', async () => {
  const { client, clock } = ledger();
  const handle = await client.create(someSchedule());
  const { operationId } = await client.bulk.pause({ all: true });
  await setZone('Mars/Base');
  clock.set('2026-03-01T03:10:00Z');
  await expect(handle.unpause()).rejects.toThrow(InvalidScheduleError);
  await expect(handle.unpause()).rejects.toThrow(UNKNOWN);
  const failed = { changed: 0, failed: 1, errors: [{ error: expect.stringContaining(UNKNOWN) }] };
  expect(await client.bulk.unpause({ all: true })).toMatchObject(failed);
  expect(await client.bulk.undo(operationId)).toMatchObject(failed);
  expect((await handle.describe()).state.paused).toBe(true);
  expect(await ledger().answers(handle.scheduleId)).toEqual([]);

  await setZone('Europe/Berlin');
  await handle.unpause();
  expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00..03-01T03:00:00 gap 3 paused']);
});

it('an unpause is not refused for a spec that no version can evaluate: a trigger sets the schedule aside', async () => {
  const { client } = ledger();
  const handle = await client.create(someSchedule({ state: { paused: true } }));
  await ledger().query(
    `update escapement.schedule_versions set spec = '{"timezone": ["Europe/Berlin"], "cron": "0 2 * * *"}'`,
  );
  await handle.unpause();
  await (await ledger().trigger()).passes.claim();
  expect((await handle.describe()).state).toMatchObject({
    paused: false,
    specError: expect.stringContaining('timezone'),
  });
});

it('a client does not end a pause of a schedule in a newer form that it cannot evaluate', async () => {
  const { client } = ledger();
  const handle = await client.create(someSchedule({ state: { paused: true } }));
  await ledger().query(`update escapement.schedule_versions set spec = '{"cron": "every full moon"}'`);
  await ledger().query('update escapement.timers set spec_format = 1000');
  await expect(handle.unpause()).rejects.toThrow('cannot be evaluated');
  expect((await handle.describe()).state.paused).toBe(true);
});

it('what needs the spec says why a client that does not know its time zone cannot evaluate it', async () => {
  const { client } = ledger();
  const handle = await client.create(someSchedule());
  await setZone('Mars/Base');
  await expect(handle.exclude('2026-03-01T02:00:00Z')).rejects.toThrow(UNKNOWN);
  const range = { start: new Date('2026-02-28T22:00:00Z'), end: new Date('2026-03-01T00:00:00Z') };
  await expect(handle.backfill(range)).rejects.toThrow(UNKNOWN);
});
