import { expect, it } from 'vitest';
import { type Answered, useApi } from '../support/api';
import { watchedPool } from '../support/connections/watched-pool';
import { someSchedule } from '../support/ledger';

const api = useApi();
const URL = '/v1/schedules';
const nightly = (changed: object = {}) => someSchedule({ scheduleId: 'nightly', ...changed });

it('registers a schedule, says where it is, and describes it as the client does', async () => {
  const { ask, ledger } = api();
  const created = await ask({
    method: 'POST',
    url: URL,
    body: nightly({ memo: { team: 'ops' }, policies: { catchupLimit: null } }),
  });
  expect(created).toMatchObject({ status: 201, headers: { location: '/v1/schedules/nightly' } });
  const got = await ask({ url: `${URL}/nightly` });
  expect(got).toMatchObject({ status: 200, headers: { etag: created.headers.etag } });
  expect(got.body).toEqual(created.body);
  const described = await ledger.client.getHandle('nightly').describe();
  const { raw: _, ...readable } = described;
  const { heldActionTimes, ...info } = got.body.info;
  expect({ ...got.body, info }).toEqual(JSON.parse(JSON.stringify(readable)));
  expect(heldActionTimes).toEqual([]);
  expect(described.policies.catchupLimit).toBe(Number.POSITIVE_INFINITY);
  expect((await ask({ method: 'POST', url: URL, body: nightly() })).body).toMatchObject({
    status: 409,
    type: 'urn:escapement:problem:schedule-exists',
    scheduleId: 'nightly',
  });
});

it('names every bad field of a schedule at once, by the paths of InvalidScheduleError', async () => {
  const { ask, ledger } = api();
  const body = {
    spec: { cron: '61 * * * *', timezone: 'Mars/Base', sometimes: true },
    action: { type: 'startWorkflow', workflowType: 'x', taskQueu: 'y', retry: { backoffCoefficient: 0.5 } },
    policies: { overlap: 'SOMETIMES', catchupWindow: '1 second', parkedAtMost: '1 second' },
  };
  const refused = await ask({ method: 'POST', url: URL, body });
  expect(refused.status).toBe(400);
  expect(refused.headers['content-type']).toContain('application/problem+json');
  const paths = refused.body.errors.map(({ path }: { path: string }) => path);
  expect(paths.sort()).toEqual([
    'action.retry.backoffCoefficient',
    'action.taskQueu',
    'action.taskQueue',
    'policies.catchupWindow',
    'policies.overlap',
    'policies.parkedAtMost',
    'scheduleId',
    'spec.cron',
    'spec.sometimes',
    'spec.timezone',
  ]);
  expect(await ledger.query('select 1 from escapement.schedules')).toEqual([]);
});

it('takes what it answers back, and changes nothing by it', async () => {
  const { ask } = api();
  const created = await ask({ method: 'POST', url: URL, body: nightly() });
  const put = await ask({
    method: 'PUT',
    url: `${URL}/nightly`,
    headers: { 'if-match': String(created.headers.etag) },
    body: created.body,
  });
  expect(put).toMatchObject({ status: 200, headers: { etag: created.headers.etag }, body: { info: { version: 1 } } });
});

it('takes what it answers back, and gives back no action that a firing has used meanwhile', async () => {
  const { ask, ledger } = api();
  const state = { remainingActions: 5 };
  const created = await ask({ method: 'POST', url: URL, body: nightly({ state }) });
  const put = (changed: object) =>
    ask({
      method: 'PUT',
      url: `${URL}/nightly`,
      headers: { 'if-match': String(created.headers.etag) },
      body: { ...created.body, ...changed },
    });
  await ledger.query('update escapement.timers set remaining_actions = 3');
  expect(await put({})).toMatchObject({ status: 200, body: { state: { remainingActions: 3 } } });
  expect(await put({ state: { remainingActions: 4 } })).toMatchObject({ body: { state: { remainingActions: 4 } } });
  const changed = await ask({ url: `${URL}/nightly` });
  expect(await put({})).toMatchObject({ status: 412 });
  await ledger.query('update escapement.timers set remaining_actions = 0');
  const headers = { 'if-match': String(changed.headers.etag) };
  const body = { ...changed.body, spec: { cron: '5 * * * *' } };
  expect(await ask({ method: 'PUT', url: `${URL}/nightly`, headers, body })).toMatchObject({
    status: 200,
    body: { state: { remainingActions: 0, completed: true }, info: { version: 2 } },
  });
});

it('makes no endless pause of one whose end has come, whether or not that was recorded', async () => {
  const { ask, ledger } = api();
  await ask({ method: 'POST', url: URL, body: nightly() });
  await ask({ method: 'POST', url: `${URL}/nightly/pause`, body: { until: '2026-03-01T02:00:00Z' } });
  const put = ({ headers, body }: Answered) =>
    ask({ method: 'PUT', url: `${URL}/nightly`, headers: { 'if-match': String(headers.etag) }, body });
  const before = await ask({ url: `${URL}/nightly` });
  expect(before.body.state).toMatchObject({ paused: true, pausedUntil: '2026-03-01T02:00:00.000Z' });
  ledger.clock.set('2026-03-01T02:30:00Z');
  expect(await put(before)).toMatchObject({ status: 412 });
  const after = await ask({ url: `${URL}/nightly` });
  expect(after.body.state).toEqual({ paused: false, note: 'Paused via Escapement' });
  expect(await put(after)).toMatchObject({ status: 200, body: { state: { paused: false } } });
  const stored = await ledger.query('select paused_until from escapement.schedules');
  expect(stored).toEqual([{ paused_until: new Date('2026-03-01T02:00:00Z') }]);
});

it('loses none of two writers, who may change the definition, the state or the labels', async () => {
  const { ask } = api();
  const created = await ask({ method: 'POST', url: URL, body: nightly() });
  const stale = { 'if-match': String(created.headers.etag) };
  const change = (method: 'PUT' | 'PATCH' | 'DELETE', headers: Record<string, string>, body?: object) =>
    ask({ method, url: `${URL}/nightly`, headers, ...(body ? { body } : {}) });
  let fresh = stale;
  for (const body of [
    { spec: { cron: '5 * * * *' } },
    { state: { note: 'mine' } },
    { state: { paused: true } },
    { state: { remainingActions: 3 } },
    { memo: { team: 'ops' } },
    { owner: 'payroll' },
    { typedSearchAttributes: [{ key: { name: 'Team', type: 'KEYWORD' }, value: 'ops' }] },
  ]) {
    api().ledger.clock.advance(1_000);
    const changed = await change('PATCH', fresh, body);
    expect(changed, JSON.stringify(body)).toMatchObject({ status: 200 });
    for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
      const lost = await change(method, fresh, method === 'DELETE' ? undefined : method === 'PUT' ? nightly() : body);
      expect(lost, `${method} after ${JSON.stringify(body)}`).toMatchObject({ status: 412 });
    }
    fresh = { 'if-match': String(changed.headers.etag) };
  }
  for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
    const body = method === 'PUT' ? nightly() : {};
    expect(await change(method, {}, method === 'DELETE' ? undefined : body), method).toMatchObject({ status: 428 });
  }
  const kept = await ask({ url: `${URL}/nightly` });
  expect(kept.body).toMatchObject({
    definition: { spec: { cron: '5 * * * *' } },
    state: { paused: true, note: 'mine', remainingActions: 3 },
    memo: { team: 'ops' },
    searchAttributes: { Team: ['ops'] },
  });
  expect(await change('DELETE', fresh)).toMatchObject({ status: 200, body: { handedOver: [] } });
  expect(await ask({ url: `${URL}/nightly` })).toMatchObject({ status: 404 });
});

it('pauses, goes on, fires and fills, and shows what became of it', async () => {
  const { ask, ledger } = api();
  await ask({ method: 'POST', url: URL, body: nightly() });
  const post = (action: string, body?: object) =>
    ask({ method: 'POST', url: `${URL}/nightly/${action}`, ...(body ? { body } : {}) });
  expect(await post('pause', { note: 'audit' })).toMatchObject({ status: 200, body: { handedOver: [] } });
  expect((await ask({ url: `${URL}/nightly` })).body.state).toMatchObject({
    paused: true,
    note: 'audit',
    pausedBy: 'api',
  });
  expect(await post('unpause')).toMatchObject({ status: 200, body: {} });
  expect(await post('trigger', { args: [1] })).toMatchObject({
    status: 201,
    body: { kind: 'manual', state: 'buffered' },
  });
  const ranges = [{ start: '2026-02-01T00:00:00Z', end: '2026-02-01T02:00:00Z' }];
  expect((await post('backfill', { ranges, dryRun: true })).body).toMatchObject({ filled: 3 });
  expect(await ledger.firings('nightly')).toHaveLength(1);
  expect((await post('backfill', { ranges })).body).toMatchObject({ filled: 3 });
  const next = await ask({ url: `${URL}/nightly/next?count=2` });
  expect(next.body).toEqual({ times: ['2026-03-01T01:00:00.000Z', '2026-03-01T02:00:00.000Z'] });
  const first = await ask({ url: `${URL}/nightly/firings?order=oldest&pageSize=2&kind=backfill` });
  expect(first.body.firings.map((one: { scheduledTime: string }) => one.scheduledTime)).toEqual([
    '2026-02-01T00:00:00.000Z',
    '2026-02-01T01:00:00.000Z',
  ]);
  const [, link] = /^<(.*)>; rel="next"$/.exec(String(first.headers.link))!;
  expect((await ask({ url: link! })).body).toMatchObject({ firings: [{ scheduledTime: '2026-02-01T02:00:00.000Z' }] });
  const explained = await ask({ url: `${URL}/nightly/explain?time=2026-02-01T01:00:00Z` });
  expect(explained.body).toMatchObject({ answer: 'firing', firing: { kind: 'backfill' } });
  await ask({ method: 'PATCH', url: `${URL}/nightly?force=true`, body: { spec: { cron: '9 * * * *' } } });
  const newest = await ask({ url: `${URL}/nightly/versions?pageSize=1` });
  expect(newest.body).toMatchObject({ versions: [{ version: 2, changed: ['spec.cron'] }], nextCursor: '2' });
  const [, older] = /^<(.*)>/.exec(String(newest.headers.link))!;
  expect((await ask({ url: older! })).body.versions).toMatchObject([{ version: 1 }]);
});

it.each([
  [1, 3],
  [20, 22],
])('reads a page of %i versions with one statement of at most %i rows', async (pageSize, atMost) => {
  const { ask, ledger, open } = api();
  await ledger.client.create(nightly());
  await ledger.query(
    `insert into escapement.schedule_versions (schedule_id, version, namespace, spec, action, policies, created_at)
      select schedule_id, n, namespace, spec, action, policies, created_at
      from escapement.schedule_versions, generate_series(2, 50) n where version = 1`,
  );
  const sizes: unknown[] = [];
  const pool = watchedPool(ledger, {
    before: (text, values) => void (/order by version desc limit/.test(text) && sizes.push(values.at(-1))),
  });
  const of = open({ connectionString: undefined as never, pool });
  const { body } = await ask({ url: `${URL}/nightly/versions?pageSize=${pageSize}`, of });
  expect(body).toMatchObject({ versions: { length: pageSize }, nextCursor: String(51 - pageSize) });
  expect(sizes).toEqual([atMost]);
});

it('ends a page of versions early where their arguments are long, and lists the others on the next one', async () => {
  const { ask, ledger } = api();
  const long = (character: string) => ({ ...someSchedule().action, args: [character.repeat(2_000_000)] });
  const handle = await ledger.client.create(nightly({ action: long('1') }));
  for (const character of '234567') await handle.update(() => ({ spec: nightly().spec, action: long(character) }));
  const numbers: number[][] = [];
  let cursor = '';
  do {
    const { body } = await ask({ url: `${URL}/nightly/versions?pageSize=200${cursor}` });
    numbers.push(body.versions.map((one: { version: number }) => one.version));
    cursor = body.nextCursor === undefined ? '' : `&cursor=${body.nextCursor}`;
  } while (cursor !== '');
  expect(numbers).toEqual([
    [7, 6, 5, 4, 3],
    [2, 1],
  ]);
});

it('lists by filters, by a query and page by page, and says where a query is wrong', async () => {
  const { ask } = api();
  for (const scheduleId of ['a', 'b', 'c']) await ask({ method: 'POST', url: URL, body: someSchedule({ scheduleId }) });
  await ask({ method: 'POST', url: `${URL}/b/pause` });
  const ids = async (query: string) =>
    (await ask({ url: `${URL}?${query}` })).body.schedules.map((one: { scheduleId: string }) => one.scheduleId);
  expect(await ids('paused=true')).toEqual(['b']);
  expect(await ids(`query=${encodeURIComponent("paused = false AND scheduleId IN ('a', 'b')")}`)).toEqual(['a']);
  const first = await ask({ url: `${URL}?pageSize=2` });
  const [, link] = /^<(.*)>/.exec(String(first.headers.link))!;
  await ask({ method: 'POST', url: URL, body: someSchedule({ scheduleId: 'aa' }) });
  expect((await ask({ url: link! })).body.schedules).toMatchObject([{ scheduleId: 'c' }]);
  expect(await ask({ url: `${URL}?query=${encodeURIComponent("paused = true AND colour = 'red'")}` })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'query', position: 19 }] },
  });
  expect((await ask({ url: `${URL}?pasued=true&pageSize=x` })).body.errors).toMatchObject([
    { path: 'pasued' },
    { path: 'pageSize' },
  ]);
});

it('shows what a spec would mean before it is registered', async () => {
  const { ask } = api();
  const body = { spec: { cron: '0 2 * * *', timezone: 'Europe/Berlin' }, count: 2, after: '2026-03-28T12:00:00+01:00' };
  const shown = await ask({ method: 'POST', url: '/v1/preview', body });
  expect(shown.body.times).toEqual(['2026-03-29T01:00:00.000Z', '2026-03-30T00:00:00.000Z']);
  for (const cron of ['x', '0 0 0 1 1 * 2028-2027']) {
    expect(await ask({ method: 'POST', url: '/v1/preview', body: { spec: { cron } } })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'spec.cron' }] },
    });
  }
});

it('answers 409 with the schedule that has an external ID, and finds a schedule by its own', async () => {
  const { ask } = api();
  const create = (scheduleId: string) =>
    ask({ method: 'POST', url: '/v1/schedules', body: someSchedule({ scheduleId, externalId: 'crm-1' }) });
  expect(await create('invoices')).toMatchObject({ status: 201, body: { externalId: 'crm-1' } });
  expect(await create('other')).toMatchObject({
    status: 409,
    body: { type: 'urn:escapement:problem:external-id-taken', externalId: 'crm-1', takenBy: 'invoices' },
  });
  const found = await ask({ url: '/v1/schedules?externalId=crm-1' });
  expect(found.body.schedules).toMatchObject([{ scheduleId: 'invoices', externalId: 'crm-1' }]);
  const patch = (body: object) => ask({ method: 'PATCH', url: '/v1/schedules/invoices?force=true', body });
  expect((await patch({ externalId: null })).body).not.toHaveProperty('externalId');
});

it('null in a patch removes a field, and takes the limit from what is caught up, as in a PUT', async () => {
  const { ask } = api();
  const policies = { catchupLimit: 5, catchupWindow: '1 hour' as const };
  await ask({ method: 'POST', url: URL, body: someSchedule({ scheduleId: 'nightly', policies }) });
  const patch = async (given: object) =>
    (await ask({ method: 'PATCH', url: `${URL}/nightly?force=true`, body: { policies: given } })).body.policies;
  const unlimited = await patch({ catchupLimit: null });
  expect(unlimited).toMatchObject({ catchupLimit: null, catchupWindow: 3_600_000 });
  expect(await patch({ catchupWindow: null })).toMatchObject({ catchupLimit: null });
  expect(await patch({ catchupLimit: 7 })).toMatchObject({ catchupLimit: 7 });
});
