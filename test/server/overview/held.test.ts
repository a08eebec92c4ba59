import { expect, it } from 'vitest';
import { compileSpec } from '../../../core/occurrences';
import type { SchedulePolicies } from '../../../index';
import type { HeldTime } from '../../../server/overview/held';
import { useApi } from '../../support/api';
import { SLOW } from '../../trigger/claim/ahead';

const api = useApi({}, '2026-03-05T06:40:00Z');

const at = (clock: string) => new Date(`2026-03-05T${clock}:00Z`);
const create = (scheduleId: string, spec: object, policies: SchedulePolicies = {}) =>
  api().ledger.client.create({
    ...{ scheduleId, spec, policies },
    action: { type: 'startWorkflow', workflowType: 'report', taskQueue: 'reports' },
  });

/** The next times of a schedule on the day, each with what holds it back. */
async function nextTimes(scheduleId: string): Promise<string[]> {
  const { info } = (await api().ask({ url: `/v1/schedules/${scheduleId}` })).body;
  const held = new Map(
    info.heldActionTimes.map(({ scheduledAt, by }: Record<keyof HeldTime, string>) => [scheduledAt, by]),
  );
  const times: string[] = info.nextActionTimes.filter((time: string) => time < '2026-03-06');
  return times.map((time) => `${time.slice(11, 16)} ${held.get(time) ?? 'fires'}`);
}

/** A schedule in the list. */
async function listed(scheduleId: string): Promise<{ nextFireAt?: string; frozen?: { until: string } }> {
  const { rows } = (await api().ask({ url: '/v1/schedule-rows' })).body;
  return rows.find((row: { scheduleId: string }) => row.scheduleId === scheduleId);
}

it('a time is held by a pause up to its end, by one without an end, and by a freeze up to its end', async () => {
  const handle = await create('sync', { cron: '0 7-10 * * *' });
  expect(await nextTimes('sync')).toEqual(['07:00 fires', '08:00 fires', '09:00 fires', '10:00 fires']);
  await handle.pause({ until: at('08:00') });
  await api().ledger.client.freezes.create({ all: true, to: at('09:00') });
  expect(await nextTimes('sync')).toEqual(['07:00 frozen', '08:00 frozen', '09:00 fires', '10:00 fires']);
  await handle.pause({ until: at('10:00') });
  expect(await nextTimes('sync')).toEqual(['07:00 frozen', '08:00 frozen', '09:00 paused', '10:00 fires']);
  await handle.pause();
  expect(await nextTimes('sync')).toEqual(['07:00 frozen', '08:00 frozen', '09:00 paused', '10:00 paused']);
});

it('a time that a later freeze holds is not said to fire, on the page nor in the list', async () => {
  const { client } = api().ledger;
  await create('sync', { cron: '30 7-10 * * *' });
  await create('late', { cron: '30 8 * * *' });
  await client.freezes.create({ query: `scheduleId = 'sync'`, to: at('08:00') });
  await client.freezes.create({ all: true, from: at('07:45'), to: at('10:00') });
  expect(await nextTimes('sync')).toEqual(['07:30 frozen', '08:30 frozen', '09:30 frozen', '10:30 fires']);
  expect((await listed('sync')).nextFireAt).toBeUndefined();
  expect((await listed('late')).nextFireAt).toBeUndefined();
});

it('the list says, as the page does, that a freeze ends at its own end, though a longer one begins before that', async () => {
  const { client } = api().ledger;
  await create('sync', { cron: '30 7-10 * * *' });
  const { freeze } = await client.freezes.create({ all: true, to: at('08:00') });
  await client.freezes.create({ all: true, from: at('07:30'), to: at('10:00') });
  const until = at('08:00').toISOString();
  const { info } = (await api().ask({ url: '/v1/schedules/sync' })).body;
  expect(info.frozen).toEqual({ freezeId: freeze.freezeId, until });
  expect((await listed('sync')).frozen).toEqual({ until });
});

it('a time that was handed to Temporal ahead is not said to be held: it fires', async () => {
  const { client, clock } = api().ledger;
  const handle = await create('sync', { cron: '0 7-9 * * *' }, { preStart: '1 minute' });
  const { passes } = await api().ledger.trigger({ limits: SLOW });
  await passes.claim();
  clock.set('2026-03-05T06:59:20Z');
  expect((await passes.claim()).claimed).toHaveLength(1);
  await handle.pause({ until: at('08:30') });
  expect(await nextTimes('sync')).toEqual(['07:00 fires', '08:00 paused', '09:00 fires']);
  await client.freezes.create({ all: true, to: at('08:30') });
  expect(await nextTimes('sync')).toEqual(['07:00 fires', '08:00 frozen', '09:00 fires']);
});

it('a time that starts, by its jitter, after the end of a pause or freeze is not said to be held', async () => {
  const { client } = api().ledger;
  const ids = Array.from({ length: 20 }, (_, n) => `jittered-${n}`);
  for (const id of ids) await create(id, { cron: '0 8 * * *', jitter: '1 hour' });
  const { freeze } = await client.freezes.create({ all: true, to: at('08:30') });
  const held = async () => (await Promise.all(ids.map(nextTimes))).flat();
  const frozen = await held();
  expect(new Set(frozen)).toEqual(new Set(['08:00 frozen', '08:00 fires']));
  await client.freezes.end(freeze.freezeId!);
  for (const id of ids) await client.getHandle(id).pause({ until: at('08:30') });
  expect(await held()).toEqual(frozen.map((time) => time.replace('frozen', 'paused')));
});

it('the agenda and the calendar have what starts, by its jitter, after the end of a pause', async () => {
  const until = at('08:30');
  const spec = { cron: '0 8 * * *', jitter: '1 hour' as const };
  const expected: string[] = [];
  for (let n = 0; n < 20; n++) {
    const scheduleId = `jittered-${n}`;
    const handle = await create(scheduleId, spec);
    await handle.pause({ until });
    const start = compileSpec(spec, { scheduleId }).startTime(at('08:00').getTime());
    if (start >= until.getTime()) expected.push(scheduleId);
  }
  const { entries } = (await api().ask({ url: '/v1/agenda?from=2026-03-05T08:00:00Z&to=2026-03-05T09:00:00Z' })).body;
  expect(entries.map((one: { scheduleId: string }) => one.scheduleId)).toEqual(expected.sort());
  const { days } = (await api().ask({ url: `/v1/schedules/${expected[0]}/calendar` })).body;
  expect(days.find(({ day }: { day: string }) => day === '2026-03-05').ahead).toBe(1);
});
