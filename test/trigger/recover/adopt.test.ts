import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { type RunsPage, TemporalCallError } from '../../../temporal/port';
import { TemporalDouble } from '../../../testing';
import { type Answers, triggerAnswering } from '../../support/answering';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

interface Adopting {
  namespaces?: string[];
  /** Called before a page is answered. */
  lists?(page: RunsPage, namespace: string): unknown;
}

/** A trigger that has started two firings of 01:00 in each namespace, and whose lists have pages of one run. */
async function started({ namespaces = ['aa'], lists }: Adopting = {}) {
  const { client, clock } = ledger();
  const schedules = namespaces.flatMap((namespace) => [someSchedule({ namespace }), someSchedule({ namespace })]);
  for (const one of schedules) await client.create(one);
  const double = new TemporalDouble(clock, { namespaces });
  const asked: { namespace: string; since: string; size: number; token: string | undefined }[] = [];
  const answers: Answers = {
    listRuns: async (namespace, page) => {
      const { since, size, token } = page;
      asked.push({ namespace, since: since.toISOString(), size, token });
      await lists?.(page, namespace);
      const { runs } = (await double.listRuns(namespace, { ...page, since: new Date(0) }))!;
      const place = Number(token ?? 0);
      return { runs: runs.slice(place, place + 1), next: place + 1 < runs.length ? String(place + 1) : undefined };
    },
  };
  const options = { double, limits: { listPagePauseMilliseconds: 0 } };
  const { trigger, passes, context } = await triggerAnswering(ledger(), answers, options);
  clock.set('2026-03-01T01:00:00Z');
  await passes.heartbeat();
  await passes.claim();
  await passes.dispatch();
  const declareLoss = async () => {
    await ledger().query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
    await passes.heartbeat();
  };
  const another = () => triggerAnswering(ledger(), answers, options);
  return {
    trigger,
    passes,
    adoption: context.adoption,
    asked,
    declareLoss,
    another,
    ids: schedules.map((one) => one.scheduleId),
  };
}

const lose = () => ledger().query('delete from escapement.firings');
const at = (instant: string) => ledger().clock.set(instant);
const said = (message: string) => ledger().log.lines.filter((line) => line.message.startsWith(message));
const CANNOT = 'what Temporal has started could not be adopted';
const OVER = 'what Temporal started is adopted';

async function meta(key: string): Promise<unknown> {
  const [row] = await ledger().query<{ value: unknown }>('select value from escapement.meta where key = $1', [key]);
  return row?.value;
}

describe('the daily check', () => {
  it('reads all runs since the last one and ten minutes, writes what is lost, and begins no round of questions', async () => {
    const { passes, adoption, asked } = await started();
    await lose();
    at('2026-03-03T12:00:00Z');
    expect(await passes.adopt()).toEqual({ adopted: 2, reopened: 0, complete: true });
    const page = { namespace: 'aa', since: '2026-03-01T00:20:00.000Z', size: 500 };
    expect(asked).toEqual([
      { ...page, token: undefined },
      { ...page, token: '1' },
    ]);
    expect(adoption).toMatchObject({ adoptedAt: new Date('2026-03-03T12:00:00Z'), again: undefined });
    expect(await meta('parked_round')).toBeUndefined();
    expect(await meta('daily_look')).toBeNull();
    expect(await passes.adopt()).toEqual({ adopted: 0, reopened: 0, complete: true });
    at('2026-03-23T12:00:00Z');
    await passes.adopt();
    expect(asked.at(-1)).toMatchObject({ since: '2026-03-16T11:50:00.000Z' });
  });

  it('opens firings again whose chains run', async () => {
    const { passes } = await started();
    await ledger().query(`update escapement.firings set state = 'closed', outcome = 'unknown', closed_at = linked_at`);
    expect(await passes.adopt()).toEqual({ adopted: 0, reopened: 2, complete: true });
  });

  it('holds nothing back, and is over for the day where a namespace does not answer', async () => {
    const held: unknown[] = [];
    const one = await started({
      namespaces: ['aa', 'bb'],
      lists: (_, namespace) => {
        held.push(one.adoption.held);
        if (namespace === 'bb') throw new TemporalCallError('no answer', 'away', { ofNamespace: true });
      },
    });
    const { passes, adoption } = one;
    await lose();
    expect(await passes.adopt()).toEqual({ adopted: 2, reopened: 0, complete: false });
    expect(adoption).toMatchObject({ adoptedAt: new Date('2026-03-01T01:00:00Z'), done: new Set() });
    for (const meanwhile of [...held, adoption.held]) {
      expect(meanwhile).toMatchObject({ namespaces: new Set(), schedules: new Map() });
    }
    // Another line says that the namespace is away.
    expect(said(CANNOT)).toEqual([]);
  });

  it('that stops in the middle goes on with the next page', async () => {
    let stop: (() => void) | undefined;
    const one = await started({ lists: ({ token }) => token === '1' && stop?.() });
    await lose();
    stop = () => one.trigger.shutdown();
    expect(await one.passes.adopt()).toEqual({ adopted: 1, reopened: 0, complete: false });
    expect(await meta('daily_look')).toMatchObject({ places: { aa: '1' } });
    stop = undefined;
    const next = await one.another();
    // The check is kept by the trigger that began it for as long as that one lives.
    expect(await next.passes.adopt()).toEqual({ adopted: 0, reopened: 0, complete: false });
    ledger().clock.advance(60_000);
    await next.passes.heartbeat();
    one.asked.splice(0);
    expect(await next.passes.adopt()).toEqual({ adopted: 1, reopened: 0, complete: true });
    expect(one.asked.map(({ token }) => token)).toEqual(['1']);
  });
});

it('a daily check whose trigger fails goes on without the namespaces that were read to their end', async () => {
  let failure: Error | undefined = new Error('a bug in the list');
  const { passes, asked } = await started({
    namespaces: ['aa', 'bb'],
    lists: (_, namespace) => namespace === 'bb' && failure && Promise.reject(failure),
  });
  await expect(passes.adopt()).rejects.toThrow('a bug in the list');
  expect(await meta('daily_look')).toMatchObject({ places: { aa: true } });
  failure = undefined;
  asked.splice(0);
  expect(await passes.adopt()).toMatchObject({ complete: true });
  expect(asked.map(({ namespace }) => namespace)).toEqual(['bb', 'bb']);
});

describe('after a loss', () => {
  it('runs are read from ten minutes before it, and once more a minute later', async () => {
    const { passes, adoption, asked, declareLoss } = await started();
    at('2026-03-01T03:00:00Z');
    await passes.adopt();
    at('2026-03-01T05:00:00Z');
    await declareLoss();
    await lose();
    asked.splice(0);
    expect(adoption.held).toBe('all');
    expect(await passes.adopt()).toEqual({ adopted: 2, reopened: 0, complete: true });
    const since = '2026-03-01T02:50:00.000Z';
    expect(asked.map((one) => one.since)).toEqual([since, since]);
    const again = { since: new Date('2026-03-01T03:00:00Z'), at: Date.parse('2026-03-01T05:01:00Z') };
    expect(adoption).toMatchObject({ adoptedAt: new Date('2026-03-01T05:00:00Z'), again, done: new Set() });
    expect(adoption.held).toMatchObject({ namespaces: new Set(), schedules: new Map() });
    at('2026-03-01T05:01:00Z');
    expect(await passes.adopt()).toMatchObject({ complete: true });
    expect(asked.map((one) => one.since)).toEqual([since, since, since, since]);
    expect(adoption.again).toBeUndefined();
  });

  it('the second read is repeated until each namespace has answered', async () => {
    let isSilent = false;
    const { passes, adoption, declareLoss, asked } = await started({
      lists: () => isSilent && Promise.reject(new TemporalCallError('may not list', 'refused')),
    });
    await declareLoss();
    await passes.adopt();
    isSilent = true;
    ledger().clock.advance(60_000);
    expect(await passes.adopt()).toMatchObject({ complete: false });
    expect(adoption.again).toBeDefined();
    isSilent = false;
    asked.splice(0);
    expect(await passes.adopt()).toMatchObject({ complete: true });
    expect(asked).toHaveLength(2);
    expect(adoption.again).toBeUndefined();
  });

  it('the one namespace that cannot be listed is held, which is said once, and once more when it is over', async () => {
    let error: Error | undefined = new TemporalCallError('may not list', 'refused');
    const { passes, adoption, declareLoss } = await started({ lists: () => error && Promise.reject(error) });
    await declareLoss();
    for (let pass = 0; pass < 2; pass++) {
      expect(await passes.adopt()).toEqual({ adopted: 0, reopened: 0, complete: false });
    }
    expect(adoption.held).toMatchObject({ namespaces: new Set(['aa']) });
    expect(said(CANNOT)).toMatchObject([{ level: 'warn', meta: { namespace: 'aa', error: 'may not list' } }]);
    error = undefined;
    expect(await passes.adopt()).toMatchObject({ complete: true });
    expect(said(OVER)).toMatchObject([{ level: 'info', meta: { namespace: 'aa', failures: 2 } }]);
    expect(adoption.held).toMatchObject({ namespaces: new Set() });
  });

  it('a namespace that has answered is not asked again, and its schedules do not wait for the others', async () => {
    let isSilent = true;
    const { passes, adoption, asked, declareLoss } = await started({
      namespaces: ['aa', 'bb'],
      lists: (_, namespace) =>
        isSilent && namespace === 'bb' && Promise.reject(new TemporalCallError('no', 'away', { ofNamespace: true })),
    });
    await declareLoss();
    await lose();
    expect(await passes.adopt()).toEqual({ adopted: 2, reopened: 0, complete: false });
    expect(adoption).toMatchObject({ held: { namespaces: new Set(['bb']) }, done: new Set(['aa']) });
    isSilent = false;
    asked.splice(0);
    ledger().clock.advance(2_000);
    expect(await passes.adopt()).toEqual({ adopted: 2, reopened: 0, complete: true });
    expect(asked.map(({ namespace }) => namespace)).toEqual(['bb', 'bb']);
  });

  it('a schedule that is locked is held by itself, with how many there are and by whom', async () => {
    const { passes, adoption, declareLoss, ids } = await started();
    await declareLoss();
    await lose();
    const holder = new Client({ connectionString: ledger().databaseUrl, application_name: 'a person' });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from escapement.timers for update');
    expect(await passes.adopt()).toEqual({ adopted: 0, reopened: 0, complete: false });
    await holder.end();
    expect(adoption.held).toMatchObject({ namespaces: new Set(), schedules: new Map([['aa', new Set(ids)]]) });
    expect(adoption.done).toEqual(new Set());
    const heldBy = [expect.stringContaining('a person')];
    const meta = { namespace: 'aa', schedules: 2, heldBy, error: expect.stringContaining('keeps schedules locked') };
    expect(said(CANNOT)).toMatchObject([{ meta }]);
    expect(await passes.adopt()).toEqual({ adopted: 2, reopened: 0, complete: true });
    expect(said(OVER)).toHaveLength(1);
  });

  it('an error of this program ends the pass', async () => {
    const { passes, declareLoss } = await started({ lists: () => Promise.reject(new Error('a bug in the list')) });
    await declareLoss();
    await expect(passes.adopt()).rejects.toThrow('a bug in the list');
  });

  it('that another trigger has adopted, this one holds nothing any more', async () => {
    const { passes, adoption, declareLoss, another } = await started();
    const other = await another();
    await declareLoss();
    expect(await other.passes.adopt()).toMatchObject({ complete: true });
    expect(adoption.held).toBe('all');
    expect(await passes.adopt()).toMatchObject({ complete: true });
    expect(adoption.held).toMatchObject({ namespaces: new Set(), schedules: new Map() });
  });
});
