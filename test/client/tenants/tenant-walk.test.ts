import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, expect, inject, it, vi } from 'vitest';
import type { Environment } from '../../../cli/environment';
import { program } from '../../../cli/program';
import type { BulkStatus, EscapementClient, ScheduleHandle } from '../../../index';
import { someSchedule, useLedger } from '../../support/ledger';

/**
 * Everything that tenant A can do about B's objects: every public method of a client, and every command. A new one
 * fails until it is added here.
 */

const ledger = useLedger('2026-03-01T00:30:00Z');
/** A marker in every text of B's that a reader could see. */
const SECRET = 'of-b-alone';
const B = 'b-nightly';
const TIME = '2026-03-01T05:00:00Z';
const RANGE = { start: '2026-02-01T00:00:00Z', end: '2026-02-01T05:00:00Z' };
const letterId = randomUUID();
const alertId = randomUUID();
const silenceId = randomUUID();
const freezeId = randomUUID();
const operationId = randomUUID();
const CALENDAR = 'b-days';
/** The IDs to try: B's, or for comparison ones that never existed. */
const THINGS_OF_B = {
  scheduleId: B,
  letter: letterId,
  alert: alertId,
  silence: silenceId,
  freeze: freezeId,
  operation: operationId,
  calendar: CALENDAR,
  source: SECRET,
  tenant: 'b',
};
let on = THINGS_OF_B;
let a: EscapementClient;
let temporal: Client;

beforeAll(() => {
  temporal = new Client({ connection: Connection.lazy({ address: inject('temporalAddress') }) });
});
afterAll(() => temporal.connection.close());

beforeEach(async () => {
  a = ledger().newClient({ tenant: 'a' });
  on = THINGS_OF_B;
  const b = ledger().newClient({ tenant: 'b' });
  const action = { ...someSchedule().action, workflowType: SECRET, taskQueue: SECRET, args: [SECRET] };
  const options = { action, memo: { owner: SECRET }, state: { note: SECRET } };
  await b.create(someSchedule({ scheduleId: B, ...options }));
  await b.apply([someSchedule({ scheduleId: 'b-declared', ...options })], { source: SECRET, revision: 7 });
  await ledger().client.tenants.set('b', { taskQueues: [SECRET], schedules: 9, firingsPerHour: 9 });
  const { scheduledTime } = await b.getHandle(B).trigger();
  await ledger().query(
    `insert into escapement.dead_letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, note, created_at, updated_at)
     values ($1, $2, $3, 0, 'start', 'start_rejected', 'default', $4, now(), now())`,
    [letterId, B, scheduledTime, SECRET],
  );
  await ledger().query(
    `insert into escapement.moves (schedule_id, namespace, state, fingerprint, version, stays_paused, note, actor, imported_at, updated_at)
     values ($1, $2, 'imported', '', 1, false, $2, 'b', now(), now())`,
    [B, SECRET],
  );
  await ledger().query(
    `insert into escapement.alerts (alert_id, condition, subject, tenant, schedule_id, opened_at, last_seen_at, looked_at, count, text)
     values ($1, 'late', $2, 'b', $2, now(), now(), now(), 1, $3)`,
    [alertId, B, SECRET],
  );
  await ledger().query(
    `insert into escapement.alert_silences (silence_id, tenant, schedule_id, until, reason, actor, created_at)
     values ($1, 'b', $2, '2099-01-01Z', $3, 'b', '2026-01-01Z')`,
    [silenceId, B, SECRET],
  );
  await ledger().query(
    `insert into escapement.freezes (freeze_id, tenant, schedule_ids, from_time, to_time, catch_up, note, actor, created_at)
     values ($1, 'b', array[$2], '2098-01-01Z', '2099-01-01Z', 'NONE', $3, 'b', '2026-01-01Z')`,
    [freezeId, B, SECRET],
  );
  await ledger().query(
    `insert into escapement.calendars (tenant, name, days, labels, actor, created_at, updated_at)
     values ('b', $1, '2098-12-25', jsonb_build_object('2098-12-25', $2::text), 'b', '2026-01-01Z', '2026-01-01Z')`,
    [CALENDAR, SECRET],
  );
  await ledger().query(
    `insert into escapement.bulk_operations (operation_id, kind, tenant, actor, filter, change, total, created_at)
     values ($1, 'pause', 'b', $2, '{}', '{}', 0, '2026-01-01Z')`,
    [operationId, SECRET],
  );
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
const asB = (changed: object = {}) => someSchedule({ scheduleId: B, ...changed });

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

/** Every command that uses a client, with the arguments of A. FILE contains B's schedules as A would declare them. */
const COMMANDS: Record<string, string[]> = {
  'cut-over': [B],
  'roll-back': [B],
  compare: [B],
  export: ['--dry-run'],
  'schedule create': ['-s', B, '--cron', '0 5 * * *', '--type', 'x', '-t', 'x'],
  'schedule describe': ['-s', B],
  'schedule list': [],
  'schedule pause': ['-s', B],
  'schedule unpause': ['-s', B],
  'schedule trigger': ['-s', B],
  'schedule tag': ['--all', '--set-owner', 'mine', '--yes'],
  'schedule undo': [operationId],
  'schedule bulk list': [],
  'schedule bulk show': [operationId],
  'schedule bulk follow': [operationId],
  'schedule bulk cancel': [operationId],
  'schedule apply': ['FILE', '--source', SECRET, '--revision', '9', '--prune', '--take-over'],
  'schedule update': ['-s', B, '--cron', '* * * * *'],
  'schedule versions': ['-s', B],
  'schedule backfill': ['-s', B, '--start', RANGE.start, '--end', RANGE.end],
  'schedule exclude': ['-s', B, TIME],
  'schedule include': ['-s', B, TIME],
  'schedule delete': ['-s', B],
  'firing list': [],
  'firing run-again': [B, RANGE.start],
  'dead-letter list': ['--state', 'all'],
  'dead-letter groups': [],
  'dead-letter show': [letterId],
  'dead-letter redrive': ['--all', '--mode', 'restart'],
  'dead-letter complete': [letterId, '--result', '"mine"'],
  'dead-letter discard': [letterId, '--note', 'not mine'],
  'dead-letter restore': [letterId],
  'alert list': ['--resolved'],
  'alert ack': [alertId],
  'alert silence': ['--schedule', B, '--for', '1h', '--reason', 'quiet'],
  'alert silences': [],
  'alert unsilence': [silenceId],
  'freeze list': ['--ended'],
  'freeze show': [freezeId],
  'freeze end': [freezeId],
  'calendar put': [CALENDAR, '--day', '2098-12-24', '--dry-run'],
  'calendar list': [],
  'calendar show': [CALENDAR],
  'calendar delete': [CALENDAR],
  explain: [B, TIME],
  'source list': [],
  'source reset': [SECRET, '--revision', '0'],
  stats: [B],
  top: [],
  'tenant set': ['b', '--task-queue', '*', '--firings-per-hour', '0'],
  'tenant describe': ['b'],
  'tenant list': [],
  'tenant remove': ['b'],
};
/** Commands of operators, and commands that need no ledger. */
const OF_NO_TENANT = [
  'alert test',
  'completion',
  'dev',
  'doctor',
  'run',
  'archive create',
  'archive list',
  'archive restore',
  'archive show',
  'db grants',
  'serve',
  'token create',
  'token list',
  'token revoke',
  'db migrate',
  'db settings',
  'audit',
  'import crontab',
  'import k8s',
  'purge',
  'schedule next',
  'trigger list',
];

/** Everything in the ledger, except what A may have written of its own. */
async function thingsOfB(): Promise<string> {
  const tables = [
    'schedules',
    'schedule_versions',
    'timers',
    'firings',
    'gaps',
    'dead_letters',
    'alerts',
    'alert_silences',
  ];
  const rows: string[] = [];
  for (const table of tables) {
    const of = await ledger().query<{ row: string }>(
      `select to_jsonb(t)::text as row from escapement.${table} t where schedule_id like 'b-%' order by 1`,
    );
    rows.push(...of.map(({ row }) => row));
  }
  const freezes = await ledger().query(`select * from escapement.freezes where tenant = 'b'`);
  const calendars = await ledger().query(`select * from escapement.calendars where tenant = 'b'`);
  const operations = await ledger().query(`select * from escapement.bulk_operations where tenant = 'b'`);
  const meta = await ledger().query(`select value from escapement.meta where key like 'source:["b"%'`);
  const settings = await ledger().query(
    `select key, value from escapement.meta where key not like 'source:%' order by key`,
  );
  const limits = await ledger().query(
    `select * from escapement.tenants join escapement.tenant_hours using (tenant) where tenant = 'b'`,
  );
  return JSON.stringify([rows, freezes, calendars, operations, meta, settings, limits]);
}

async function triedOut(attempt: () => unknown): Promise<string> {
  try {
    return JSON.stringify((await attempt()) ?? null);
  } catch (error) {
    const { message, ...fields } = error as Error;
    return `${message} ${JSON.stringify(fields)}`;
  }
}

/** A may see again what A sent itself. */
const said = (shown: string) => shown.replaceAll(`'${SECRET}'`, '').replaceAll(`"${SECRET}"`, '');

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

it.each([
  { by: 'ESCAPEMENT_TENANT', tenant: 'a', flags: [] },
  { by: '--tenant', tenant: undefined, flags: ['--tenant', 'a'] },
])('every command does what a client of its tenant does, by $by', async ({ tenant, flags }) => {
  const environment: Environment = {
    databaseUrl: ledger().databaseUrl,
    schema: undefined,
    identity: 'a',
    tenant,
    logLevel: undefined,
    metricsPort: undefined,
    temporalAddress: undefined,
    namespaceProfiles: undefined,
    temporal: () => ({ connectionOptions: { address: inject('temporalAddress') } }),
  };
  const commands = leavesOf(program(environment)).filter((name) => !OF_NO_TENANT.includes(name));
  expect(commands.sort()).toEqual(Object.keys(COMMANDS).sort());

  const folder = await mkdtemp(join(tmpdir(), 'escapement-'));
  const file = join(folder, 'schedules.json');
  await writeFile(file, JSON.stringify([asB()]));
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const exitCode = process.exitCode;
  try {
    const before = await thingsOfB();
    const wrong: string[] = [];
    for (const [name, given] of Object.entries(COMMANDS)) {
      written.mockClear();
      const words = [...name.split(' '), ...given.map((word) => (word === 'FILE' ? file : word)), ...flags];
      const failed = await triedOut(() =>
        program(environment)
          .parseAsync(words, { from: 'user' })
          .then(() => undefined),
      );
      const shown = written.mock.calls.map(([chunk]) => String(chunk)).join('') + failed;
      const own = ['schedule apply', 'source reset'].includes(name) ? said(shown) : shown;
      if (own.includes(SECRET)) wrong.push(`${name} shows ${shown}`);
      if ((await thingsOfB()) !== before) wrong.push(`${name} changes something`);
    }
    expect(wrong).toEqual([]);
  } finally {
    written.mockRestore();
    process.exitCode = exitCode;
    await rm(folder, { recursive: true });
  }
});

/** Names of the commands that do something, such as `schedule pause`. */
function leavesOf(command: Command, above: string[] = []): string[] {
  return command.commands.flatMap((one) => {
    const name = [...above, one.name()];
    return one.commands.length > 0 ? leavesOf(one, name) : one.name() === 'help' ? [] : [name.join(' ')];
  });
}
