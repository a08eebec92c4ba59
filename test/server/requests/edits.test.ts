import { expect, it } from 'vitest';
import { useApi } from '../../support/api';
import { someSchedule } from '../../support/ledger';

const api = useApi();
const url = '/v1/schedules/nightly';
const create = (more: object = {}) =>
  api().ask({ method: 'POST', url: '/v1/schedules', body: someSchedule({ scheduleId: 'nightly', ...more }) });
const patch = (body: object) => api().ask({ method: 'PATCH', url: `${url}?force=true`, body });

it('null in a patch is refused by its name where there is no such field', async () => {
  await create({ policies: { catchupWindow: '1 hour', alerts: { late: '1 minute' } } });
  for (const [path, body] of [
    ['spec.timezon', { spec: { timezon: null } }],
    ['action.memos', { action: { memos: null } }],
    ['action.retry.maximumAttempt', { action: { retry: { maximumAttempt: null } } }],
    ['action.constructor', { action: { constructor: { name: null } } }],
    ['action.priority.fairnesKey', { action: { priority: { fairnesKey: null } } }],
    ['policies.catchUpWindow', { policies: { catchUpWindow: null } }],
    ['policies.alerts.latest', { policies: { alerts: { latest: null } } }],
    ['state.notes', { state: { notes: null } }],
  ] as const) {
    const message = expect.stringContaining('is not a field here');
    expect(await patch(body), path).toMatchObject({ status: 400, body: { errors: [{ path, message }] } });
  }
});

it('null in a patch removes what may be removed, whether or not it was set', async () => {
  await create({ policies: { alerts: { late: '1 minute' } } });
  const given = {
    spec: { jitter: null, skipDays: null },
    action: { retry: { maximumAttempts: null }, memo: { team: null }, argsError: null, priority: null },
    policies: { catchupWindow: null, alerts: { late: null, parked: null } },
    state: { note: null, pausedBy: null },
    memo: { constructor: null },
  };
  expect((await patch(given)).body.policies.alerts ?? {}).toEqual({});
});

const pair = (name: string, type: string, value: unknown) => ({ key: { name, type }, value });

it('a patch of search attributes by name leaves the types of the others', async () => {
  const attributes = [pair('Team', 'KEYWORD', 'ops'), pair('Due', 'DATETIME', '2026-04-01T00:00:00.000Z')];
  const all = { typedSearchAttributes: [...attributes, pair('Count', 'INT', 3)] };
  await create({ ...all, action: { ...someSchedule().action, ...all } });
  const change = { searchAttributes: { Team: ['night'], Count: null } };
  const patched = await patch({ ...change, action: change });
  expect(patched.status).toBe(200);
  for (const part of [patched.body, patched.body.action]) {
    expect(part.typedSearchAttributes).toEqual([pair('Due', 'DATETIME', '2026-04-01T00:00:00.000Z')]);
    expect(part.searchAttributes).toEqual({ Team: ['night'], Due: ['2026-04-01T00:00:00.000Z'] });
  }
  const none = { searchAttributes: null };
  const without = { searchAttributes: {}, typedSearchAttributes: [] };
  expect((await patch({ ...none, action: none })).body).toMatchObject({ ...without, action: without });
});

it('search attributes that were changed in one form of an answer are not brought back by the other form', async () => {
  const attributes = [pair('Team', 'KEYWORD', 'ops'), pair('Count', 'INT', 3)];
  const all = { searchAttributes: { Free: ['x'] }, typedSearchAttributes: attributes };
  const { body } = await create({ ...all, action: { ...someSchedule().action, ...all } });
  const put = async (change: object) => {
    const sent = { ...body, ...change, action: { ...body.action, ...change } };
    const answer = await api().ask({ method: 'PUT', url: `${url}?force=true`, body: sent });
    return [answer.body, answer.body.action].map((part) => ({
      untyped: part.searchAttributes,
      typed: part.typedSearchAttributes,
    }));
  };
  const count = [pair('Count', 'INT', 3)];
  const moved = {
    untyped: { Free: ['x'], Team: ['night'], Count: [3] },
    typed: [pair('Team', 'KEYWORD', 'night'), ...count],
  };
  expect(await put({ searchAttributes: moved.untyped })).toEqual([moved, moved]);
  await put({});
  const without = { untyped: { Count: [3] }, typed: count };
  expect(await put({ searchAttributes: without.untyped })).toEqual([without, without]);
  await put({});
  const untouched = { untyped: { Free: ['x'], Count: [3] }, typed: count };
  expect(await put({ typedSearchAttributes: count })).toEqual([untouched, untouched]);
  await put({});
  const asTold = { untyped: { Free: ['x'], Team: ['night', 'day'], Count: [3] }, typed: count };
  expect(await put({ searchAttributes: asTold.untyped })).toEqual([asTold, asTold]);
});

it('search attributes that were created in two forms stay if their schedule is replaced by the same, or patched to it', async () => {
  const attributes = [pair('Team', 'KEYWORD', 'ops'), pair('Count', 'INT', 3)];
  const all = { searchAttributes: { Free: ['x'] }, typedSearchAttributes: attributes };
  const body = someSchedule({ scheduleId: 'nightly', ...all, action: { ...someSchedule().action, ...all } } as object);
  const created = await api().ask({ method: 'POST', url: '/v1/schedules', body });
  const replaced = await api().ask({ method: 'PUT', url: `${url}?force=true`, body });
  expect(replaced.body).toMatchObject({ action: created.body.action, info: { version: 1 } });
  expect(replaced.body.typedSearchAttributes).toEqual(attributes);
  const same = { searchAttributes: { Team: ['ops'] } };
  const { body: patched } = await patch({ ...same, action: same });
  for (const part of [patched, patched.action])
    expect(part.searchAttributes).toEqual({ Free: ['x'], Team: ['ops'], Count: [3] });
});

const anyVersion = [
  ['force', '?force=true', {}],
  ['If-Match: *', '', { 'if-match': '*' }],
] as const;

it.each(anyVersion)('takes back with %s what it answered before others changed the spec', async (_, query, headers) => {
  const { body } = await create();
  await patch({ spec: { cron: '5 * * * *' } });
  const put = (sent: object) => api().ask({ method: 'PUT', url: `${url}${query}`, headers, body: sent });
  expect(await put(body)).toMatchObject({ status: 200, body: { definition: body.definition, info: { version: 3 } } });
});

it('refuses a change of what only describes the spec, by its name', async () => {
  const { body, headers } = await create();
  const sent = { ...body, definition: { spec: { cron: '5 * * * *' } } };
  const refused = await api().ask({ method: 'PUT', url, headers: { 'if-match': String(headers.etag) }, body: sent });
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: 'definition' }] } });
});

it.each(anyVersion)(
  'refuses with %s too that a PUT or a PATCH changes only what describes the spec',
  async (_, query, headers) => {
    const { body } = await create();
    const definition = { spec: { cron: '5 * * * *' } };
    for (const [method, sent] of [
      ['PUT', { ...body, definition }],
      ['PUT', { ...body, definition: null }],
      ['PATCH', { definition }],
      ['PATCH', { definition: null }],
    ] as const) {
      const refused = await api().ask({ method, url: `${url}${query}`, headers, body: sent });
      expect(refused, JSON.stringify(sent)).toMatchObject({ status: 400, body: { errors: [{ path: 'definition' }] } });
    }
  },
);

it.each(['', '.7'])(
  'accepts an ETag%s that a proxy has made weak, as of an answer that it compresses',
  async (left) => {
    const { headers } = await create(left === '' ? {} : { state: { remainingActions: 7 } });
    const etag = String(headers.etag);
    expect(etag.endsWith(`${left}"`)).toBe(true);
    const put = (match: string) =>
      api().ask({
        method: 'PUT',
        url,
        headers: { 'if-match': match },
        body: { ...someSchedule(), scheduleId: undefined },
      });
    expect((await put(`W/${etag}`)).status).toBe(200);
    expect((await put('W/"1-abc"')).status).toBe(412);
  },
);

it.each(['', '.7'])('accepts an ETag%s to which a proxy has added how it compresses the answer', async (left) => {
  const { headers } = await create(left === '' ? {} : { state: { remainingActions: 7 } });
  const etag = String(headers.etag);
  const body = { ...someSchedule(), scheduleId: undefined };
  const put = (match: string) => api().ask({ method: 'PUT', url, headers: { 'if-match': match }, body });
  const compressed = etag.replace(/"$/, '-gzip"');
  expect((await put(compressed.replace('"1-', '"9-'))).status).toBe(412);
  expect((await put(compressed)).status).toBe(200);
});
