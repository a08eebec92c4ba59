import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import type { BulkStatus, EscapementClient, ScheduleHandle } from '../../../index';
import { asB, B, RANGE, SECRET, said, THINGS_OF_B, TIME, triedOut, useThingsOfB } from './things-of-b';

/**
 * Everything that tenant A can do about B's objects by a public method of a client. A new one fails until it is added
 * here.
 */

const { ledger, thingsOfB } = useThingsOfB();
let on = THINGS_OF_B;
let a: EscapementClient;
let temporal: Client;

beforeAll(() => {
  temporal = new Client({ connection: Connection.lazy({ address: inject('temporalAddress') }) });
});
afterAll(() => temporal.connection.close());

beforeEach(() => {
  a = ledger().newClient({ tenant: 'a' });
  on = THINGS_OF_B;
});

/** The result of a call, without parts that are new each time. */
const outcome = ({ total, changed, unchanged, failed, errors }: BulkStatus) => ({
  ...{ total, changed, unchanged, failed, errors },
});

async function all(list: AsyncIterable<unknown>): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of list) items.push(item);
  return items;
}

const ofB = () => a.getHandle(on.scheduleId);

/** What A tries, by class and method. Calls that A may make must not show or change anything of B's. */
const METHODS: Record<string, Record<string, () => unknown>> = {
  EscapementClient: {
    create: () => a.create(asB()),
    check: () => a.check(asB({ tenant: on.tenant })),
    cutOver: () => a.cutOver({ from: temporal, scheduleIds: [on.scheduleId] }),
    rollBack: () => a.rollBack({ from: temporal, scheduleIds: [on.scheduleId] }),
    compare: () => all(a.compare({ from: temporal, scheduleIds: [on.scheduleId] })),
    importSchedules: () => a.importSchedules({ from: temporal, query: `ScheduleId = '${B}'` }),
    apply: () => a.apply([asB()], { source: SECRET, revision: 9, prune: true, takeOver: true }),
    getHandle: () => ofB().scheduleId,
    list: () => all(a.list()),
    listPage: () => a.listPage({ text: 'b-' }),
    firings: () => all(a.firings({ scheduleId: on.scheduleId })),
    firingsPage: () => a.firingsPage(),
    gapsPage: () => a.gapsPage(),
    stats: () => a.stats(),
    triggers: () => a.triggers(),
    overview: async () => ({ ...(await a.overview()), at: 'now' }),
    close: () => ledger().newClient({ tenant: 'a' }).close(),
  },
  ScheduleHandle: {
    describe: () => ofB().describe(),
    nextTimes: () => ofB().nextTimes(),
    update: () => ofB().update((previous) => ({ ...previous, spec: { cron: '* * * * *' } })),
    versions: () => all(ofB().versions()),
    pause: () => ofB().pause(),
    unpause: () => ofB().unpause(),
    trigger: () => ofB().trigger(),
    backfill: () => ofB().backfill(RANGE),
    runAgain: () => ofB().runAgain(RANGE.start),
    exclude: () => ofB().exclude(TIME),
    include: () => ofB().include(TIME),
    explain: () => ofB().explain(TIME),
    delete: () => ofB().delete(),
    stats: () => ofB().stats(),
    firings: () => all(ofB().firings()),
    firingsPage: () => ofB().firingsPage(),
  },
  DeadLetters: {
    list: () => all(a.deadLetters.list()),
    listPage: () => a.deadLetters.listPage(),
    groups: () => a.deadLetters.groups(),
    get: () => a.deadLetters.get(on.letter),
    redrive: () => a.deadLetters.redrive(on.letter, { mode: 'restart' }),
    plan: () => all(a.deadLetters.plan({ state: 'open' })),
    complete: () => a.deadLetters.complete(on.letter, 'mine'),
    redriveAll: () => a.deadLetters.redriveAll({ state: 'open' }),
    discard: () => a.deadLetters.discard(on.letter, { note: 'not mine' }),
    discardAll: () => a.deadLetters.discardAll({ state: 'open' }, { note: 'not mine' }),
    restore: () => a.deadLetters.restore(on.letter),
  },
  Sources: {
    list: () => a.sources.list(),
    reset: () => a.sources.reset(on.source, { revision: 0 }),
  },
  Tenants: {
    set: () => a.tenants.set(on.tenant, { taskQueues: null, firingsPerHour: 0 }),
    describe: () => a.tenants.describe(on.tenant),
    list: () => a.tenants.list(),
    remove: () => a.tenants.remove(on.tenant),
  },
  Settings: {
    describe: () => a.settings.describe(),
    set: () => a.settings.set({ staleAfter: '1 minute', retention: '1 day' }),
  },
  Alerts: {
    list: () => a.alerts.list({ resolved: true }),
    ack: () => a.alerts.ack(on.alert),
    silence: () =>
      a.alerts.silence({ scheduleId: on.scheduleId, until: new Date('2099-01-01T00:00:00Z'), reason: 'quiet' }),
    silences: () => a.alerts.silences(),
    unsilence: () => a.alerts.unsilence(on.silence),
  },
  Freezes: {
    create: () =>
      a.freezes.create({ scheduleIds: [on.scheduleId], to: new Date('2099-01-01T00:00:00Z'), dryRun: true }),
    list: () => a.freezes.list({ ended: true }),
    get: () => a.freezes.get(on.freeze),
    end: () => a.freezes.end(on.freeze),
  },
  Calendars: {
    put: () => a.calendars.put(on.calendar, { days: ['2098-12-24'], dryRun: true }),
    list: () => a.calendars.list(),
    get: () => a.calendars.get(on.calendar),
    delete: () => a.calendars.delete(on.calendar),
    fill: () => a.calendars.fill({ cron: '0 2 * * *', skipDays: [on.calendar] }),
  },
  Bulk: {
    plan: () => a.bulk.plan('pause', { scheduleIds: [on.scheduleId] }),
    pause: async () => outcome(await a.bulk.pause({ scheduleIds: [on.scheduleId] })),
    unpause: async () => outcome(await a.bulk.unpause({ query: `scheduleId = '${on.scheduleId}'` })),
    trigger: async () => outcome(await a.bulk.trigger({ scheduleIds: [on.scheduleId] })),
    tag: async () => outcome(await a.bulk.tag({ scheduleIds: [on.scheduleId] }, { owner: 'mine' })),
    list: () => a.bulk.list({ limit: 1_000 }),
    get: () => a.bulk.get(on.operation),
    undo: () => a.bulk.undo(on.operation),
    follow: async () => [
      await triedOut(() => a.bulk.follow(on.operation)),
      await triedOut(() => a.bulk.follow(on.operation, { signal: AbortSignal.abort() })),
    ],
    cancel: () => a.bulk.cancel(on.operation),
  },
};

it('every public method shows and changes nothing of another tenant’s', async () => {
  const classes: Record<string, object> = {
    EscapementClient: a,
    ScheduleHandle: a.getHandle(B) satisfies ScheduleHandle,
    DeadLetters: a.deadLetters,
    Sources: a.sources,
    Tenants: a.tenants,
    Settings: a.settings,
    Alerts: a.alerts,
    Freezes: a.freezes,
    Calendars: a.calendars,
    Bulk: a.bulk,
  };
  const before = await thingsOfB();
  const wrong: string[] = [];
  for (const [name, one] of Object.entries(classes)) {
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(one)).filter((method) => method !== 'constructor');
    expect(Object.keys(METHODS[name]!).sort(), name).toEqual(methods.sort());
    for (const [method, attempt] of Object.entries(METHODS[name]!)) {
      const shown = await triedOut(attempt);
      const own = ['apply', 'reset'].includes(method) ? said(shown) : shown;
      if (own.includes(SECRET)) wrong.push(`${name}.${method} shows ${shown}`);
      if ((await thingsOfB()) !== before) wrong.push(`${name}.${method} changes something`);
    }
  }
  expect(wrong).toEqual([]);
});

it('no answer tells another tenant’s thing from one that never was, whatever is wrong with the question', async () => {
  const range = { start: 'yesterday', end: TIME };
  const questions: Record<string, Record<string, () => unknown>> = {
    ...METHODS,
    wrong: {
      explain: () => ofB().explain('noon'),
      exclude: () => ofB().exclude('noon'),
      'exclude no occurrence': () => ofB().exclude('2026-03-01T05:00:01Z'),
      include: () => ofB().include(TIME),
      backfill: () => ofB().backfill(range),
      'backfill of nothing': () => ofB().backfill([]),
      'run again ahead': () => ofB().runAgain('2099-01-01T00:00:00Z', { confirm: true }),
      update: () => ofB().update(() => ({}) as never),
      trigger: () => ofB().trigger({ args: [() => 1] } as never),
      'plan letters': () => all(a.deadLetters.plan({ scheduleId: on.scheduleId })),
      'letters of it': () => all(a.deadLetters.list({ scheduleId: on.scheduleId })),
      'redrive its letters': () => a.deadLetters.redriveAll({ scheduleId: on.scheduleId }),
      'list by source': () => a.listPage({ source: on.source }),
      'list by query': () => a.listPage({ query: `scheduleId = '${on.scheduleId}' OR tenant = '${on.tenant}'` }),
      'firings by source': () => a.firingsPage({ source: on.source }),
    },
  };
  const answers = async (things: typeof on) => {
    on = things;
    const given: Record<string, string> = {};
    for (const [name, methods] of Object.entries(questions)) {
      for (const [method, ask] of Object.entries(methods)) {
        let answer = await triedOut(ask);
        for (const [thing, value] of Object.entries(things)) {
          if (thing !== 'tenant') answer = answer.replaceAll(value, `<${thing}>`);
        }
        given[`${name}.${method}`] = answer.replaceAll(`'${things.tenant}'`, '<tenant>');
      }
    }
    return given;
  };
  const never = {
    scheduleId: 'never-was',
    letter: randomUUID(),
    alert: randomUUID(),
    silence: randomUUID(),
    freeze: randomUUID(),
    operation: randomUUID(),
    calendar: 'never-put',
    source: 'never-declared',
    tenant: 'nobody',
  };
  // The list only has A's own operations, and grows with the calls here.
  const {
    'EscapementClient.create': __,
    'EscapementClient.apply': ___,
    'Bulk.list': ____,
    ...ofOthers
  } = await answers(THINGS_OF_B);
  expect(await answers(never)).toMatchObject(ofOthers);
});
