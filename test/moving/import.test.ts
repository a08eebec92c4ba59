import { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { windowInForce } from '../../moving/import/translate';
import { fiftySchedules } from '../client/fifty-schedules';
import { uniqueName, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';
import { useWorker } from '../support/temporal';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const NEVER = { type: 'startWorkflow' as const, workflowType: 'never', taskQueue: 'nobody-polls' };
const prefix = uniqueName('import');
const idOf = (index: number) => `${prefix}-${String(index).padStart(2, '0')}`;
const byId = <One extends { scheduleId: string }>(list: One[]) => new Map(list.map((one) => [one.scheduleId, one]));

beforeAll(async () => {
  const { client } = worker();
  const queue = [...fiftySchedules.entries()];
  const create = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, schedule] = next;
      await client.schedule.create({
        action: NEVER,
        state: { paused: index % 2 === 0 },
        ...schedule,
        scheduleId: idOf(index),
      });
    }
  };
  await Promise.all(Array.from({ length: 8 }, create));
  await vi.waitFor(async () => {
    let listed = 0;
    for await (const _ of client.schedule.list()) listed += 1;
    expect(listed).toBe(fiftySchedules.length);
  }, 60_000);
});

/** The worker's client, with something done just before the server is asked for a schedule. */
function whenDescribed(before: (scheduleId: string, call: number) => Promise<unknown>): Client {
  const { client, namespace } = worker();
  let calls = 0;
  const workflowService = new Proxy(client.connection.workflowService, {
    get: (service, name) => {
      const method = Reflect.get(service, name).bind?.(service) ?? Reflect.get(service, name);
      if (name !== 'describeSchedule') return method;
      return async (request: { scheduleId: string }) => {
        calls += 1;
        await before(request.scheduleId, calls);
        return method(request);
      };
    },
  });
  const connection = new Proxy(client.connection, {
    get: (real, name) => (name === 'workflowService' ? workflowService : Reflect.get(real, name)),
  });
  return new Client({ connection, namespace });
}

describe('an import of fifty native schedules', () => {
  it('is shown by a dry run, takes them one to one, and changes nothing when it runs again', async () => {
    const { client: from } = worker();
    const { client } = ledger();
    const planned = await client.importSchedules({ from, dryRun: true });
    expect(new Set(planned.schedules.map(({ status }) => status))).toEqual(new Set(['imported']));
    expect(await ledger().query('select 1 from escapement.schedules')).toEqual([]);

    let done = 0;
    const imported = await client.importSchedules({ from, progress: (progress) => (done = progress.done) });
    expect(imported.schedules.filter(({ reason }) => reason)).toEqual([]);
    expect([imported.schedules.length, done, imported.complete]).toEqual([50, 50, true]);
    for (const index of fiftySchedules.keys()) {
      const theirs = await from.schedule.getHandle(idOf(index)).describe();
      const ours = await client.getHandle(idOf(index)).describe();
      expect(ours.state.paused).toBe(true);
      expect(ours.action.workflowId).toBe(theirs.action.workflowId);
      expect(ours.action.args).toEqual((theirs.action as { args: unknown }).args);
      expect(ours.policies.overlap).toBe(theirs.policies.overlap);
      expect(ours.policies.catchupWindow).toBe(theirs.policies.catchupWindow);
      expect(ours.spec.calendars ?? []).toEqual(theirs.spec.calendars);
      const intervals = theirs.spec.intervals?.map(({ every, offset = 0 }) => ({ every, offset }));
      expect(ours.spec.intervals ?? []).toEqual(intervals);
      expect(ours.memo ?? {}).toEqual(theirs.memo ?? {});
    }

    const again = await client.importSchedules({ from });
    expect(new Set(again.schedules.map(({ status }) => status))).toEqual(new Set(['unchanged']));
    const changed = from.schedule.getHandle(idOf(3));
    await changed.update((previous) => ({ ...previous, spec: { intervals: [{ every: '7m' }] } }));
    const later = byId((await client.importSchedules({ from })).schedules);
    expect(later.get(idOf(3))?.status).toBe('updated');
    expect((await client.getHandle(idOf(3)).describe()).spec.intervals).toEqual([{ every: 420_000, offset: 0 }]);
  });

  it('carries arguments, memo and headers byte for byte', async () => {
    const { client: from, namespace } = worker();
    const { Payloads, Payload: Message } = temporal.api.common.v1;
    const withHeader = uniqueName('header');
    await createWithHeader(from, withHeader);
    const imported = await vi.waitFor(async () => {
      const { schedules } = await ledger().client.importSchedules({ from });
      expect(schedules.filter(({ reason }) => reason)).toEqual([]);
      expect(schedules.map(({ scheduleId }) => scheduleId)).toContain(withHeader);
      return schedules;
    }, 60_000);
    for (const { scheduleId } of imported) {
      const { schedule } = await from.connection.workflowService.describeSchedule({ namespace, scheduleId });
      const { input, memo, header } = schedule!.action!.startWorkflow!;
      const [row] = await ledger().query<{ args: Buffer | null; memo: object | null; headers: object | null }>(
        `select args, action -> 'memo' as memo, action -> 'headers' as headers from escapement.schedule_versions where schedule_id = $1`,
        [scheduleId],
      );
      expect(Object.keys(header?.fields ?? {})).toHaveLength(scheduleId === withHeader ? 2 : 0);
      const theirs = input?.payloads?.length ? Buffer.from(Payloads.encode(input).finish()) : null;
      expect(row!.args).toEqual(theirs);
      const encoded = (fields: Record<string, Payload> | null | undefined) => {
        const texts = Object.entries(fields ?? {}).map(([name, value]) => [
          name,
          Buffer.from(Message.encode(value).finish()).toString('base64'),
        ]);
        return Object.fromEntries(texts);
      };
      expect(row!.memo ?? {}).toEqual(encoded(memo?.fields));
      expect(row!.headers ?? {}).toEqual(encoded(header?.fields));
    }
    await from.schedule.getHandle(withHeader).delete();
  });

  it('leaves what somebody changes or deletes meanwhile for the next run, and takes the others', async () => {
    const { client: temporalClient } = worker();
    const extra = uniqueName('extra');
    await temporalClient.schedule.create({ scheduleId: extra, spec: { intervals: [{ every: '1h' }] }, action: NEVER });
    const changed = temporalClient.schedule.getHandle(idOf(5));
    const asked = new Map<string, number>();
    const from = whenDescribed(async (scheduleId) => {
      const times = (asked.get(scheduleId) ?? 0) + 1;
      asked.set(scheduleId, times);
      if (scheduleId === idOf(5) && times === 2) await changed.pause('by a person');
      if (scheduleId === extra)
        await temporalClient.schedule
          .getHandle(extra)
          .delete()
          .catch(() => undefined);
    });
    await vi.waitFor(async () => {
      const ids: string[] = [];
      for await (const one of temporalClient.schedule.list()) ids.push(one.scheduleId);
      expect(ids).toContain(extra);
    }, 60_000);
    const result = await ledger().client.importSchedules({ from });
    const schedules = byId(result.schedules);
    expect(schedules.get(idOf(5))).toMatchObject({ status: 'left', reason: expect.stringContaining('meanwhile') });
    expect(schedules.get(extra)).toMatchObject({ status: 'left', reason: expect.stringContaining('deleted') });
    expect(result.complete).toBe(false);
    expect(result.schedules.filter(({ status }) => status === 'imported')).toHaveLength(49);
    await changed.unpause();
  });

  it('names what it cannot take and why, goes on with the rest, and ends with 1', async () => {
    const { client: from, namespace } = worker();
    const unknown = uniqueName('encrypted');
    const payload: Payload = { metadata: { encoding: Buffer.from('binary/of-another-codec') }, data: Buffer.from('?') };
    const action = {
      startWorkflow: {
        workflowId: unknown,
        workflowType: { name: 'x' },
        taskQueue: { name: 'x' },
        input: { payloads: [defaultPayloadConverter.toPayload(1)!, payload] },
      },
    };
    const spec = { cronString: ['0 * * * *'] };
    await from.connection.workflowService.createSchedule({
      namespace,
      scheduleId: unknown,
      schedule: { spec, action },
      requestId: unknown,
    });
    await ledger().client.create({ scheduleId: idOf(7), spec: { cron: '0 1 * * *' }, action: NEVER });
    const env = {
      DATABASE_URL: ledger().databaseUrl,
      TEMPORAL_ADDRESS: addressOf(from),
      TEMPORAL_NAMESPACE: namespace,
    };
    const args = ['import', '--namespace', namespace, '--namespace', 'nobody-has-this'];
    const listed = await vi.waitFor(async () => {
      const { code, stdout } = await runCommand([...args, '--dry-run', '--json'], env);
      expect(stdout).toContain(unknown);
      return { code, stdout };
    }, 60_000);
    expect(listed.code).toBe(1);
    const { code, stdout } = await runCommand(args, env);
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`${unknown} .* refused +its arguments or memo cannot be decoded`));
    expect(stdout).toMatch(new RegExp(`${idOf(7)} .* refused +schedule '${idOf(7)}' exists, or has existed`));
    expect(stdout).toMatch(/\* +nobody-has-this +refused +Temporal says: /);
    expect(stdout).toContain('49 imported');
    const taken = await ledger().client.importSchedules({ from, undecoded: true });
    expect(byId(taken.schedules).get(unknown)?.status).toBe('imported');
    await from.schedule.getHandle(unknown).delete();
  });

  it('takes for a client of a tenant only what that tenant may create', async () => {
    const { client: from, namespace } = worker();
    await ledger().client.tenants.set('acme', { taskQueues: ['nobody-*'], schedules: 5 });
    const client = ledger().newClient({ tenant: 'acme' });
    const { schedules } = await client.importSchedules({ from });
    expect(schedules.filter(({ status }) => status === 'imported')).toHaveLength(5);
    const reasons = schedules.map(({ reason }) => reason ?? '');
    expect(reasons.filter((reason) => /as many|places|may have/.test(reason)).length).toBeGreaterThan(20);
    expect(reasons.filter((reason) => reason.includes('end with the tenant')).length).toBeGreaterThan(0);
    expect(await ledger().query(`select distinct tenant from escapement.schedules`)).toEqual([{ tenant: 'acme' }]);
    expect(namespace).toBe(from.options.namespace);
  });
});

it('takes the catch-up window that is in force in each of the two schedulers', () => {
  const year = 365 * 86_400_000;
  expect([undefined, 0, -5, 3_000, 60_000].map((given) => windowInForce(given, false))).toEqual([
    year,
    10_000,
    10_000,
    10_000,
    60_000,
  ]);
  expect([undefined, 0, -5, 3_000, 60_000].map((given) => windowInForce(given, true))).toEqual([
    year,
    year,
    year,
    10_000,
    60_000,
  ]);
});

describe('a schedule in shadow', () => {
  it('answers for its occurrences when it would have claimed them, and starts no workflow', async () => {
    const { client: from, namespace } = worker();
    const { client, clock } = ledger();
    const scheduleId = uniqueName('shadow');
    const options = { spec: { intervals: [{ every: '1h' as const }] }, action: NEVER };
    await from.schedule.create({ scheduleId, ...options });
    await vi.waitFor(async () => {
      await client.importSchedules({ from, shadow: true });
      await client.getHandle(scheduleId).describe();
    }, 60_000);
    const trigger = await ledger().trigger();
    clock.set('2026-03-01T02:00:01Z');
    await client.getHandle(scheduleId).trigger();
    for (let pass = 0; pass < 3; pass++) {
      await trigger.passes.claim();
      await trigger.passes.dispatch();
    }
    const answers = await ledger().answers(scheduleId);
    expect(answers).toEqual([
      '03-01T01:00:00 catchup skipped shadow',
      '03-01T02:00:00 schedule skipped shadow',
      expect.stringMatching(/manual skipped shadow$/),
    ]);
    const rows = await ledger().query(`select distinct state, reason from escapement.firings where state <> 'skipped'`);
    expect(rows).toEqual([]);
    expect((await client.getHandle(scheduleId).explain('2026-03-01T02:00:00Z')).sentence).toContain('in shadow');
    expect((await client.getHandle(scheduleId).describe()).state).toMatchObject({ paused: false, shadow: true });
    for await (const one of client.list()) expect(one.state).toMatchObject({ shadow: true });
    const shown = await runCommand(['schedule', 'list'], { DATABASE_URL: ledger().databaseUrl });
    expect(shown.stdout).toMatch(new RegExp(`${scheduleId} .* shadow`));
    await from.schedule.getHandle(scheduleId).delete();
    expect(namespace).toBeTruthy();
  });
});

/** With what an interceptor would have set: bytes of no converter of ours. */
async function createWithHeader({ connection, options: { namespace } }: Client, scheduleId: string): Promise<void> {
  const fields = {
    trace: { metadata: { encoding: Buffer.from('binary/plain') }, data: Buffer.from([0, 255, 7]) },
    empty: { metadata: {}, data: new Uint8Array() },
  };
  const startWorkflow = {
    ...{ workflowId: scheduleId, workflowType: { name: 'x' }, taskQueue: { name: 'x' }, header: { fields } },
  };
  const schedule = { spec: { cronString: ['0 * * * *'] }, action: { startWorkflow } };
  await connection.workflowService.createSchedule({ namespace, scheduleId, schedule, requestId: scheduleId });
}

function addressOf(client: Client): string {
  return (client.connection as unknown as { options: { address: string } }).options.address;
}
