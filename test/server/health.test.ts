import { expect, it } from 'vitest';
import { useApi } from '../support/api';
import { watchedPool } from '../support/connections/watched-pool';
import { someSchedule } from '../support/ledger';

const api = useApi();

it('a server is not ready before it has read the schedules, and alive meanwhile', async () => {
  const { ask } = api();
  expect((await ask({ url: '/healthz' })).status).toBe(200);
  const begun = await ask({ url: '/readyz' });
  expect([begun.status, begun.body]).toEqual([
    503,
    { status: 'not ready', reasons: ['The schedules are being read.'] },
  ]);
  await expect.poll(async () => (await ask({ url: '/readyz' })).status).toBe(200);
});

it('a server whose role lacks a right is not ready, and says so', async () => {
  const { ask, ledger, open } = api();
  const refusing = (pattern: RegExp) =>
    open({
      connectionString: undefined as never,
      pool: watchedPool(ledger, {
        before: (text) => {
          if (pattern.test(text)) throw Object.assign(new Error('permission denied for table some'), { code: '42501' });
        },
      }),
    });
  const lacks = "The server's role in Postgres lacks a right; its log and 'escapement doctor' say which.";
  const answer = async (of: ReturnType<typeof open>) => {
    const { status, body } = await ask({ url: '/readyz', of });
    return [status, ...body.reasons];
  };
  expect(await answer(refusing(/from "escapement"."triggers"/))).toEqual([503, lacks]);
  const withoutSpecs = refusing(/schedule_versions/);
  expect(await answer(withoutSpecs)).toEqual([503, 'The schedules are being read.']);
  await expect.poll(() => answer(withoutSpecs)).toEqual([503, `The schedules could not be read: ${lacks}`]);
});

it.each([
  ['has no spec', `update escapement.schedule_versions set spec = 'null' where schedule_id = $1`, 1],
  ['has no version', 'delete from escapement.schedule_versions where schedule_id = $1', 1],
  ['has no timer', 'delete from escapement.timers where schedule_id = $1', 0],
])(
  'a schedule that %s keeps no server from being ready, and from answering about the others',
  async (_, damage, leftOut) => {
    const { ask, ledger } = api();
    const bad = await ledger.client.create(someSchedule());
    await ledger.client.create(someSchedule());
    await ledger.query(damage, [bad.scheduleId]);
    await expect.poll(async () => (await ask({ url: '/readyz' })).status).toBe(200);
    const statements: string[] = [];
    const watched = watchedPool(ledger, { before: (text) => void statements.push(text) });
    const of = api().open({ connectionString: undefined as never, pool: watched });
    await expect.poll(async () => (await ask({ url: '/readyz', of })).status).toBe(200);
    statements.length = 0;
    expect(await ask({ url: '/v1/overview', of })).toMatchObject({ status: 200 });
    const day = 'from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z';
    const agenda = await ask({ url: `/v1/agenda?${day}`, of });
    expect(agenda).toMatchObject({ status: 200, body: { schedules: 1, leftOut } });
    // What all schedules were read by is not read again.
    expect(statements.filter((text) => /schedule_id > /.test(text))).toEqual([]);
  },
);
