import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { expect, it } from 'vitest';
import { ScheduleCodec } from '../../client/payloads';
import { useApi } from '../support/api';
import { someSchedule } from '../support/ledger';
import { invertingCodec } from '../support/workers/codec';

const api = useApi();

/** What a program with a codec of its own sends in place of arguments. */
async function encoded(...args: unknown[]) {
  const payloads = await invertingCodec.encode(args.map((one) => defaultPayloadConverter.toPayload(one)));
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return {
    payloads: payloads.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(Object.entries(metadata!).map(([name, bytes]) => [name, base64(bytes)])),
      data: base64(data!),
    })),
  };
}

const schedule = (args: unknown, more: object = {}) => ({
  ...someSchedule({ scheduleId: 'sealed', ...more }),
  action: { ...someSchedule().action, args },
});
const sees = () => api().ledger.newClient({ dataConverter: { payloadCodecs: [invertingCodec] } });

it('keeps arguments that are encoded already byte for byte, and shows them so where it cannot decode them', async () => {
  const { ask, ledger } = api();
  const args = await encoded('emea', { limit: 5 });
  const created = await ask({ method: 'POST', url: '/v1/schedules', body: schedule(args) });
  expect(created).toMatchObject({
    status: 201,
    body: { action: { args, argsError: expect.stringContaining('binary/inverted') } },
  });
  expect((await sees().getHandle('sealed').describe()).action.args).toEqual(['emea', { limit: 5 }]);
  const got = await ask({ url: '/v1/schedules/sealed' });
  expect(got).toMatchObject({ status: 200, body: { action: { args } } });
  const other = await encoded('apac');
  const fired = await ask({ method: 'POST', url: '/v1/schedules/sealed/trigger', body: { args: other } });
  expect(fired.status).toBe(201);
  const [row] = await ledger.query<{ args: Buffer }>(`select args from escapement.schedule_versions where version < 0`);
  expect(row!.args.includes(Buffer.from(other.payloads[0]!.data, 'base64'))).toBe(true);
  const versions = await ask({ url: '/v1/schedules/sealed/versions' });
  expect(versions).toMatchObject({ status: 200, body: { versions: [{ version: 1, action: { args } }] } });
});

it('takes back what it showed, changes the rest, and deletes it', async () => {
  const { ask } = api();
  await ask({ method: 'POST', url: '/v1/schedules', body: schedule(await encoded('emea')) });
  const { body, headers } = await ask({ url: '/v1/schedules/sealed' });
  const put = await ask({
    method: 'PUT',
    url: '/v1/schedules/sealed',
    headers: { 'if-match': String(headers.etag) },
    body,
  });
  expect(put).toMatchObject({ status: 200, body: { info: { version: 1 } } });
  const patched = await ask({
    method: 'PATCH',
    url: '/v1/schedules/sealed?force=true',
    body: { spec: { cron: '5 * * * *' } },
  });
  expect(patched).toMatchObject({ status: 200, body: { info: { version: 2 }, action: { args: body.action.args } } });
  expect((await sees().getHandle('sealed').describe()).action.args).toEqual(['emea']);
  const etag = String(patched.headers.etag);
  expect((await ask({ method: 'DELETE', url: '/v1/schedules/sealed', headers: { 'if-match': etag } })).status).toBe(
    200,
  );
});

it('keeps the bytes of arguments and memos that a change does not concern, even those that JSON cannot show', async () => {
  const { ask, ledger } = api();
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const plain = (json: string) => ({ metadata: { encoding: base64('json/plain') }, data: base64(json) });
  // The number is above 2^53, so JavaScript reads it as another one.
  const args = { payloads: [plain('{"account":9007199254740993}'), plain('1.0')] };
  const memo = { raw: new Uint8Array([1, 2]), team: 'billing' };
  const options = schedule(args);
  const handle = await ledger.client.create({ ...options, memo, action: { ...options.action, memo } } as never);
  const given = { method: 'PATCH', url: '/v1/schedules/sealed?force=true' } as const;
  const bodyOf = async () => (await ask({ url: '/v1/schedules/sealed' })).body;

  await ask({ ...given, body: { spec: { cron: '5 * * * *' } } });
  await ask({ ...given, body: { state: { note: 'checked' } } });
  await ask({ ...given, body: { action: { memo: { team: 'audit' } }, memo: { team: 'audit' } } });
  const put = { ...(await bodyOf()), spec: { cron: '6 * * * *' } };
  await ask({ ...given, method: 'PUT', body: put });
  await ask({ ...given, method: 'PUT', body: await bodyOf() });
  await handle.update((previous) => ({ ...previous, spec: { cron: '7 * * * *' } }));
  const { action, memo: own, tenant: _, ...described } = await handle.describe();
  const declared = {
    scheduleId: 'sealed',
    spec: { cron: '8 * * * *' },
    memo: own,
    action,
    policies: described.policies,
  };
  await ledger.client.apply([declared as never], { source: 's', revision: 1, takeOver: true });

  const versions = await ledger.query<{ args: Buffer; raw: string }>(
    `select distinct args, action -> 'memo' ->> 'raw' as raw from escapement.schedule_versions where schedule_id = 'sealed'`,
  );
  expect(versions.map((one) => one.args.includes('9007199254740993') && one.args.includes('1.0'))).toEqual([true]);
  expect(await handle.describe()).toMatchObject({
    info: { version: 6 },
    action: { memo: { raw: memo.raw, team: 'audit' } },
    memo: { raw: memo.raw, team: 'audit' },
  });
});

it('describes what a client with a codec registered, and refuses a change that would lose its memo', async () => {
  const { ask } = api();
  const action = { ...someSchedule().action, args: ['emea'], memo: { team: 'billing' } };
  await sees().create(someSchedule({ scheduleId: 'sealed', action, memo: { of: 'itself' } }));
  const got = await ask({ url: '/v1/schedules/sealed' });
  expect(got).toMatchObject({
    status: 200,
    body: {
      memoError: expect.any(String),
      action: { args: { payloads: [{}] }, argsError: expect.any(String), memoError: expect.any(String) },
    },
  });
  expect(got.body.action).not.toHaveProperty('memo');
  const patched = await ask({
    method: 'PATCH',
    url: '/v1/schedules/sealed?force=true',
    body: { spec: { cron: '5 * * * *' } },
  });
  expect(patched).toMatchObject({ status: 409, body: { type: 'urn:escapement:problem:cannot-decode', path: 'memo' } });
  expect((await sees().getHandle('sealed').describe()).memo).toEqual({ of: 'itself' });
});

it('refuses what is neither arguments nor payloads, by its path', async () => {
  const { ask } = api();
  const payload = { metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: 'IjEi' };
  for (const args of [
    {},
    { payloads: [1] },
    { payloads: [{ ...payload, data: 'not base64' }] },
    { payloads: [{ data: 'IjEi' }] },
    { payloads: [payload], more: 1 },
  ]) {
    expect(await ask({ method: 'POST', url: '/v1/schedules', body: schedule(args) })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'action.args' }] },
    });
  }
});

it('reads what failed in letters and their groups by the codec of the server, and shows nothing of it without', async () => {
  const { ask, ledger, open } = api();
  await ledger.client.create(someSchedule({ scheduleId: 'sealed' }));
  const dataConverter = { payloadCodecs: [invertingCodec] };
  const workflow = { type: 'workflow', namespace: 'default', workflowId: 'w' } as const;
  const encoded = await new ScheduleCodec(dataConverter).encodeResult(workflow, { message: 'card 4711 declined' });
  const failedStep = { failure: { type: 'CardDeclined', message: 'Encoded failure', encoded } };
  await ledger.query(
    `insert into escapement.dead_letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, workflow_id,
       failed_step, created_at, updated_at)
     values (gen_random_uuid(), 'sealed', '2026-03-01', 0, 'workflow', 'open', 'failed', 'default', 'w', $1, now(), now())`,
    [JSON.stringify(failedStep)],
  );
  const withCodec = open({ dataConverter });
  const letter = { failedStep: { failure: { type: 'CardDeclined', message: 'card 4711 declined' } } };
  expect((await ask({ url: '/v1/dead-letters', of: withCodec })).body).toEqual({
    letters: [expect.objectContaining(letter)],
  });
  expect((await ask({ url: '/v1/dead-letters/groups', of: withCodec })).body.groups).toMatchObject([
    { message: 'card 4711 declined', failureType: 'CardDeclined' },
  ]);
  for (const url of ['/v1/dead-letters', '/v1/dead-letters/groups']) {
    const { status, text } = await ask({ url });
    expect({ url, status, reads: text.includes('4711') }).toEqual({ url, status: 200, reads: false });
  }
});

it('deletes a schedule without asking the codec while others wait for its lock, and by force without asking it at all', async () => {
  const { ask, ledger, open } = api();
  let asked = 0;
  const decode = async (payloads: Payload[]) => {
    asked += 1;
    await ledger.query(`select 1 from escapement.timers where schedule_id = 'sealed' for update nowait`);
    return invertingCodec.decode(payloads);
  };
  const of = open({ dataConverter: { payloadCodecs: [{ ...invertingCodec, decode }] } });
  const create = () => sees().create(someSchedule({ scheduleId: 'sealed', memo: { team: 'billing' } }));
  const url = '/v1/schedules/sealed';
  await create();
  const etag = String((await ask({ of, url })).headers.etag);
  expect(await ask({ of, method: 'DELETE', url, headers: { 'if-match': etag } })).toMatchObject({ status: 200 });
  await create();
  const fresh = { 'if-match': String((await ask({ of, url })).headers.etag) };
  const lost = await ask({ method: 'DELETE', url, headers: fresh });
  expect(lost).toMatchObject({ status: 412, body: { detail: expect.stringContaining('memo cannot be decoded now') } });
  asked = 0;
  expect(await ask({ of, method: 'DELETE', url: `${url}?force=true` })).toMatchObject({ status: 200 });
  expect(asked).toBe(0);
});

it('shows the calendar of a schedule that it cannot decode', async () => {
  await sees().create(someSchedule({ scheduleId: 'sealed', memo: { team: 'billing' } }));
  const { status, body } = await api().ask({ url: '/v1/schedules/sealed/calendar' });
  expect({ status, today: body.today, days: body.days.length }).toEqual({
    status: 200,
    today: '2026-03-01',
    days: 365,
  });
});
