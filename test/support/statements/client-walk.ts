import { randomUUID } from 'node:crypto';
import type { EscapementClient } from '../../../index';
import { writeLetter } from '../failures/letters';
import { someSchedule, type TestLedger } from '../ledger';

/** Client calls that together send every statement that a trigger never sends. */
export async function walkClient(client: EscapementClient, ledger: TestLedger): Promise<void> {
  const calls = [
    ...ofSchedules(client),
    ...ofFirings(client, ledger),
    ...ofLetters(client, ledger),
    ...ofOperators(client),
  ];
  for (const call of calls) await call();
}

type Call = () => Promise<unknown>;

function ofSchedules(client: EscapementClient): Call[] {
  const handle = client.getHandle('walked');
  const declared = [someSchedule({ scheduleId: 'declared' }), someSchedule({ scheduleId: 'second' })];
  return [
    () => client.create(someSchedule({ scheduleId: 'walked', tenant: 'acme' })),
    () => handle.describe(),
    () => handle.update((previous) => ({ ...previous, spec: { cron: '30 * * * *' } })),
    () => handle.pause('why'),
    () => handle.unpause(),
    () => handle.pause({ until: '1 hour' }),
    () => handle.unpause(),
    () => all(handle.versions()),
    () => handle.exclude('2026-03-02T01:30:00Z'),
    () => handle.nextTimes(),
    () => handle.include('2026-03-02T01:30:00Z'),
    () => handle.stats(),
    () => client.listPage({ pageSize: 2 }),
    () => client.listPage({ pageSize: 2, orderBy: 'nextFireAt' }),
    () => client.listPage({ query: `Team = 'none' AND paused = false` }).catch(() => undefined),
    () => client.listPage({ tenant: 'acme' }),
    () => client.apply(declared, { source: 'billing', revision: 1 }),
    () => client.apply(declared, { source: 'sales', revision: 1, takeOver: true }),
    () => client.apply(declared.slice(1), { source: 'sales', revision: 2, prune: true }),
    () => client.sources.list(),
    () => client.sources.reset('billing', { revision: 1 }),
  ];
}

function ofFirings(client: EscapementClient, ledger: TestLedger): Call[] {
  const handle = client.getHandle('fired');
  const range = { start: '2026-02-20T00:00:00Z', end: '2026-02-20T03:00:00Z', overlap: 'BUFFER_ALL' } as const;
  const times = ['2026-02-20T01:00:00Z', '2026-02-21T01:00:00Z', '2026-03-01T02:00:00Z', '2026-02-20T01:30:00Z'];
  return [
    () => client.create(someSchedule({ scheduleId: 'fired' })),
    () => handle.trigger({ args: [17] }),
    () => handle.backfill(range),
    () =>
      ledger.query(
        `update escapement.firings set state = 'skipped', reason = 'overlap' where schedule_id = 'fired' and kind = 'backfill'`,
      ),
    () => handle.runAgain(times[0]!),
    ...times.map((time) => () => handle.explain(time)),
    () => handle.firingsPage({ pageSize: 1 }),
    () => client.firingsPage({ text: 'x', tenant: 'acme' }),
    () => client.gapsPage({ tenant: 'acme', from: new Date(0), to: new Date(), scheduleId: 'x' }),
    () => client.stats(),
    () => client.triggers(),
    () => client.overview(),
    () => client.overview({ tenant: 'acme' }),
    () => handle.delete(),
  ];
}

function ofLetters({ deadLetters }: EscapementClient, ledger: TestLedger): Call[] {
  const letters = new Map<string, string>();
  const write = async (name: string, row?: Parameters<typeof writeLetter>[1]) =>
    letters.set(name, await writeLetter(ledger, row));
  const of = (name: string) => letters.get(name)!;
  return [
    () => write('failed'),
    () => write('discarded'),
    () => write('parked', { kind: 'parked', firing: { state: 'linked' } }),
    () => write('start', { kind: 'start', firing: { state: 'abandoned' } }),
    () => write('rejected', { kind: 'start', reason: 'start_rejected', firing: { state: 'abandoned' } }),
    () => all(deadLetters.list({ state: 'open' })),
    () => deadLetters.groups(),
    () => deadLetters.get(of('failed')),
    () => all(deadLetters.plan({ state: 'open' })),
    () => deadLetters.redrive(of('failed'), { mode: 'restart' }),
    () => deadLetters.redrive(of('start')),
    () => deadLetters.redrive(of('rejected')),
    () => deadLetters.discard(of('discarded'), { note: 'paid' }),
    () => deadLetters.restore(of('discarded')),
    () => deadLetters.complete(of('parked'), 17),
    () => deadLetters.redriveAll({ state: 'open' }, { mode: 'restart' }),
    () => write('last'),
    () => deadLetters.discardAll({ state: 'open' }, { note: 'paid' }),
  ];
}

function ofOperators(client: EscapementClient): Call[] {
  return [
    () => client.tenants.set('acme', { schedules: 9, firingsPerHour: 9, namespaces: ['default'] }),
    () => client.create(someSchedule({ tenant: 'acme' })),
    () => client.tenants.list(),
    () => client.tenants.remove('acme'),
    () => client.settings.describe(),
    () =>
      client.freezes.create({
        source: 'billing',
        query: 'paused = false',
        tenant: 'acme',
        to: new Date('2036-03-01Z'),
        dryRun: true,
      }),
    async () => {
      const { freeze } = await client.freezes.create({ all: true, to: new Date('2036-03-01Z') });
      await client.getHandle('walked').explain('2027-01-01T00:30:00Z');
      await client.freezes.list();
      await client.freezes.get(freeze.freezeId!);
      await client.freezes.end(freeze.freezeId!);
    },
    async () => {
      await client.calendars.put('walked', { days: ['2027-01-01'] });
      const spec = { cron: '30 * * * *', skipDays: ['walked'] };
      const handle = await client.create(someSchedule({ scheduleId: 'days', spec }));
      await client.create(someSchedule({ spec: { ...spec, skipDays: ['walk'] } })).catch(() => {});
      await client.calendars.put('walked', { days: ['2027-01-02'], dryRun: true });
      await client.calendars.put('walked', { days: ['2027-01-02'] });
      await client.calendars.list();
      await client.calendars.get('walked');
      await handle.explain('2027-01-02T00:30:00Z');
      await client.calendars.delete('walked').catch(() => {});
      await handle.delete();
      await client.calendars.delete('walked');
    },
    async () => {
      const { operationId } = await client.bulk.pause({ scheduleIds: ['walked'] }, { note: 'a release' });
      await client.bulk.undo(operationId);
      await client.bulk.plan('trigger', { all: true });
      await client.bulk.list({ state: 'done' });
    },
    () => client.alerts.list(),
    () => client.alerts.list({ order: 'worst' }),
    () => client.alerts.ack(randomUUID()).catch(() => {}),
  ];
}

async function all(list: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of list);
}
