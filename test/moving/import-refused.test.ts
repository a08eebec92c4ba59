import { Client } from 'pg';
import { expect, it, vi } from 'vitest';
import { someSchedule, uniqueName, useLedger } from '../support/ledger';
import { useWorker } from '../support/temporal';
import { withCalls } from '../support/temporal-calls';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });

/** Two native schedules, as Temporal lists them. */
async function twoSchedules(tenant = ''): Promise<[string, string]> {
  const { client, namespace } = worker();
  const ids = [uniqueName('one'), uniqueName('two')] as [string, string];
  for (const scheduleId of ids) {
    const startWorkflow = {
      workflowId: `${scheduleId}${tenant && `[${tenant}]`}`,
      workflowType: { name: 'x' },
      taskQueue: { name: 'nobody-polls' },
    };
    const schedule = { spec: { cronString: ['0 * * * *'] }, action: { startWorkflow } };
    await client.workflowService.createSchedule({ namespace, scheduleId, schedule, requestId: scheduleId });
  }
  await vi.waitFor(async () => {
    const listed: string[] = [];
    for await (const one of client.schedule.list()) listed.push(one.scheduleId);
    expect(listed).toEqual(expect.arrayContaining(ids));
  }, 60_000);
  return ids;
}

const denied = () =>
  Object.assign(new Error('7 PERMISSION_DENIED: Request unauthorized.'), {
    ...{ code: 7, details: 'Request unauthorized.', metadata: {} },
  });

it('names a schedule whose times the server lists otherwise, one that starts no workflow, one with a number that would be rounded, one with more actions than fit, and takes the others', async () => {
  const { client } = worker();
  const [one, two] = await twoSchedules();
  const otherTimes = withCalls(client, {
    listScheduleMatchingTimes: async (request, real) => {
      const answer = await real(request);
      if (request.scheduleId === one) answer.startTime.splice(2, 1);
      return answer;
    },
  });
  const noAction = withCalls(client, {
    describeSchedule: async (request, real) => {
      const answer = await real(request);
      if (request.scheduleId === one) answer.schedule!.action = {};
      return answer;
    },
  });
  const roundedNumber = withCalls(client, {
    describeSchedule: async (request, real) => {
      const answer = await real(request);
      if (request.scheduleId !== one) return answer;
      const metadata = { encoding: Buffer.from('json/plain'), type: Buffer.from('Int') };
      answer.searchAttributes = { indexedFields: { Account: { metadata, data: Buffer.from('9007199254740993') } } };
      return answer;
    },
  });
  const tooManyActions = withCalls(client, {
    describeSchedule: async (request, real) => {
      const answer = await real(request);
      if (request.scheduleId === one) {
        answer.schedule!.state = { limitedActions: true, remainingActions: (2 ** 31) as never };
      }
      return answer;
    },
  });
  const query = `ScheduleId IN ('${one}', '${two}')`;
  const expected = async (from: typeof client, reason: RegExp) => {
    const { schedules, complete } = await ledger().client.importSchedules({ from, query, dryRun: true });
    expect(complete).toBe(false);
    expect(schedules.find(({ scheduleId }) => scheduleId === one)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(reason),
    });
    expect(schedules.find(({ scheduleId }) => scheduleId === two)).toMatchObject({ status: 'imported' });
  };
  await expected(otherTimes, /^the 3\. of its next times would be .*, and the server says /);
  await expected(noAction, /^its action starts no workflow$/);
  await expected(roundedNumber, /^its search attribute Account has 9007199254740993, which would be rounded here/);
  await expected(
    tooManyActions,
    /^it has 2147483648 remaining actions in Temporal, and at most 2147483647 are possible/,
  );
});

it('refuses a schedule whose action has no workflow ID: here its workflows would get other IDs', async () => {
  const { client: from, namespace } = worker();
  const scheduleId = uniqueName('nameless');
  const startWorkflow = { workflowType: { name: 'x' }, taskQueue: { name: 'nobody-polls' } };
  const schedule = { spec: { cronString: ['0 * * * *'] }, action: { startWorkflow } };
  await from.workflowService.createSchedule({ namespace, scheduleId, schedule, requestId: scheduleId });
  const query = `ScheduleId = '${scheduleId}'`;
  await vi.waitFor(async () => {
    const reason = expect.stringContaining('no workflow ID');
    const { schedules } = await ledger().client.importSchedules({ from, query });
    expect(schedules).toMatchObject([{ scheduleId, status: 'refused', reason }]);
  }, 60_000);
});

it('a dry run refuses a name that is taken here, and a task queue that the tenant may not use, as the import does', async () => {
  const { client: from } = worker();
  const [taken, [other, takenAtQuota]] = [(await twoSchedules())[0], await twoSchedules('acme')];
  await ledger().client.create(someSchedule({ scheduleId: taken }));
  const refused = async (tenant: string | undefined, scheduleId: string, reason: RegExp) => {
    const query = `ScheduleId = '${scheduleId}'`;
    for (const dryRun of [true, false]) {
      const { schedules } = await ledger()
        .newClient(tenant === undefined ? {} : { tenant })
        .importSchedules({ from, query, dryRun });
      expect(schedules).toMatchObject([{ scheduleId, status: 'refused', reason: expect.stringMatching(reason) }]);
    }
  };
  await refused(undefined, taken, /exists, or has existed for another tenant/);
  await ledger().client.create(someSchedule({ scheduleId: takenAtQuota, tenant: 'acme' }));
  await ledger().client.tenants.set('acme', { schedules: 1 });
  await refused('acme', takenAtQuota, /exists, or has existed for another tenant/);
  await ledger().client.tenants.set('acme', { taskQueues: ['theirs'] });
  await refused('acme', other, /'nobody-polls' is not one of those that an operator allows tenant 'acme'/);
});

it('a dry run takes a schedule that only its tenant’s limits would refuse by now, if its import writes no definition', async () => {
  const { client: from } = worker();
  const [one] = await twoSchedules('acme');
  const query = `ScheduleId = '${one}'`;
  const ofTenant = ledger().newClient({ tenant: 'acme' });
  await ofTenant.importSchedules({ from, query });
  await ledger().client.tenants.set('acme', { taskQueues: ['theirs'] });
  for (const dryRun of [true, false]) {
    const { schedules } = await ofTenant.importSchedules({ from, query, shadow: true, dryRun });
    expect(schedules).toMatchObject([{ scheduleId: one, status: 'updated' }]);
  }
});

it('a dry run refuses as many new schedules as the import, if their tenant’s quota has no place for them', async () => {
  const { client: from } = worker();
  const ids = await twoSchedules('acme');
  const query = `ScheduleId IN ('${ids.join("', '")}')`;
  await ledger().client.tenants.set('acme', { schedules: 1 });
  for (const dryRun of [true, false]) {
    const { schedules } = await ledger().newClient({ tenant: 'acme' }).importSchedules({ from, query, dryRun });
    expect(schedules.filter(({ status }) => status === 'imported')).toHaveLength(1);
    expect(schedules.filter(({ status }) => status === 'refused')).toMatchObject([
      { reason: expect.stringMatching(/^tenant 'acme' may have 1 schedules, has 1, and 1 more was to be created/) },
    ]);
  }
});

it.each(['imported', 'cut_over'])('refuses a schedule that another tenant has %s', async (state) => {
  const { client: from } = worker();
  const [scheduleId] = await twoSchedules('acme');
  const query = `ScheduleId = '${scheduleId}'`;
  await ledger().newClient({ tenant: 'acme' }).importSchedules({ from, query });
  await ledger().query('update escapement.moves set state = $1', [state]);
  for (const dryRun of [true, false]) {
    const { schedules } = await ledger().newClient({ tenant: 'globex' }).importSchedules({ from, query, dryRun });
    const reason = expect.stringContaining('exists, or has existed for another tenant');
    expect(schedules).toMatchObject([{ scheduleId, status: 'refused', reason }]);
  }
});

it('an import goes on with the others if a new name is locked', async () => {
  const { client: from } = worker();
  const [one, two] = await twoSchedules();
  const query = `ScheduleId IN ('${one}', '${two}')`;
  const other = new Client({ connectionString: ledger().databaseUrl });
  await other.connect();
  ledger().beforeClose(() => other.end());
  await other.query('begin');
  await ledger().client.create(someSchedule({ scheduleId: one }), { transaction: other });
  const { schedules } = await ledger().client.importSchedules({ from, query });
  await other.query('rollback');
  expect(schedules.find(({ scheduleId }) => scheduleId === one)).toMatchObject({
    status: 'refused',
    reason: expect.stringContaining('is held by another open transaction'),
  });
  expect(schedules.find(({ scheduleId }) => scheduleId === two)).toMatchObject({ status: 'imported' });
});

it('names a namespace and a schedule that it may not read, with what the server says, and goes on with the rest', async () => {
  const { client, namespace } = worker();
  const [one, two] = await twoSchedules();
  const from = withCalls(client, {
    listSchedules: async (request, real) => {
      if (request.namespace === 'forbidden') throw denied();
      return real(request);
    },
    describeSchedule: async (request, real) => {
      if (request.scheduleId === one) throw denied();
      return real(request);
    },
  });
  const query = `ScheduleId IN ('${one}', '${two}')`;
  const namespaces = ['forbidden', namespace];
  const { schedules, complete } = await ledger().client.importSchedules({ from, query, namespaces });
  expect(complete).toBe(false);
  const byId = new Map(schedules.map((schedule) => [schedule.scheduleId, schedule]));
  const reason = expect.stringMatching(/^Temporal says: .*unauthorized/i);
  expect(byId.get('*')).toMatchObject({ namespace: 'forbidden', status: 'refused', reason });
  expect(byId.get(one)).toMatchObject({ status: 'refused', reason });
  expect(byId.get(two)).toMatchObject({ status: 'imported' });
});

it('writes those of a hundred that are new at once, and takes up again one that was deleted here', async () => {
  const { client: from } = worker();
  const [one, two] = await twoSchedules();
  const query = `ScheduleId IN ('${one}', '${two}')`;
  const { client } = ledger();
  await client.importSchedules({ from, query: `ScheduleId = '${one}'` });
  await client.getHandle(one).delete();
  const { schedules, complete } = await client.importSchedules({ from, query, shadow: true });
  expect(complete).toBe(true);
  expect(schedules.map(({ status }) => status)).toEqual(['imported', 'imported']);
  for (const scheduleId of [one, two]) {
    expect((await client.getHandle(scheduleId).describe()).state).toMatchObject({ paused: false, shadow: true });
  }
});

it.each(['before', 'during'])(
  'keeps what was changed here %s an import of a schedule that was also changed in Temporal, and says so',
  async (when) => {
    const { client: from } = worker();
    const { client } = ledger();
    const [scheduleId] = await twoSchedules();
    const query = `ScheduleId = '${scheduleId}'`;
    await client.importSchedules({ from, query });
    const handle = client.getHandle(scheduleId);
    const change = () => handle.update((previous) => ({ ...previous, policies: { catchupLimit: 5 } }));
    if (when === 'before') await change();
    expect((await client.importSchedules({ from, query })).schedules).toMatchObject([{ status: 'unchanged' }]);
    // Shadow mode is no change of the definition.
    for (const shadow of [true, false]) {
      expect((await client.importSchedules({ from, query, shadow })).schedules).toMatchObject([{ status: 'updated' }]);
    }

    const native = from.schedule.getHandle(scheduleId);
    await native.update((previous) => ({ ...previous, spec: { intervals: [{ every: '7m' }] } }));
    const meanwhile = withCalls(from, {
      describeSchedule: async (request, real) => {
        if (when === 'during' && (await handle.describe()).info.version === 1) await change();
        return real(request);
      },
    });
    const { schedules } = await client.importSchedules({ from: meanwhile, query });
    const reason = expect.stringContaining('changed here and in Temporal');
    expect(schedules).toMatchObject([{ status: 'refused', reason }]);
    expect((await handle.describe()).policies.catchupLimit).toBe(5);
    await native.delete();
  },
);
