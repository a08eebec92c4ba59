import { describe, expect, it } from 'vitest';
import type { ListedRun, RunSignal, RunsPage } from '../../../temporal/port';
import { TemporalCallError } from '../../../temporal/port';
import { TemporalDouble } from '../../../testing';
import { type Answers, grpcError, triggerAnswering } from '../../support/answering';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

const PERMISSION_DENIED = 7;
const FAILED_PRECONDITION = 9;

interface Asking {
  /** Called before a page of parked runs is answered. */
  lists?(page: RunsPage, namespace: string): unknown;
  /** Called before a signal is answered; returns `over` for a run that has ended. */
  signals?(signal: RunSignal): unknown;
  namespaces?: string[];
  limits?: { startBatchSize?: number };
}

/** A trigger that has adopted what runs after a failover: one parked run in each namespace, and its pages of one run. */
async function afterFailover({ lists, signals, namespaces = ['aa'], limits }: Asking = {}) {
  const { client, clock } = ledger();
  for (const namespace of namespaces) await client.create(someSchedule({ namespace }));
  const double = new TemporalDouble(clock, { namespaces });
  const pages: { namespace: string; page: RunsPage }[] = [];
  const asked: RunSignal[] = [];
  const runs: ListedRun[] = [];
  const answers: Answers = {
    listRuns: async (namespace, page) => {
      if (!page.onlyParking) return double.listRuns(namespace, page);
      pages.push({ namespace, page });
      await lists?.(page, namespace);
      const own = runs.filter((run) => run.workflowId.startsWith(namespace));
      const place = Number(page.token ?? 0);
      return { runs: own.slice(place, place + 1), next: place + 1 < own.length ? String(place + 1) : undefined };
    },
    signal: async (signal) => {
      if ((await signals?.(signal)) === 'over') return false;
      asked.push(signal);
      return true;
    },
  };
  const options = { double, limits: { listPagePauseMilliseconds: 0, ...limits } };
  const { trigger, passes } = await triggerAnswering(ledger(), answers, options);
  clock.set('2026-03-01T01:00:00Z');
  await passes.claim();
  await passes.dispatch();
  const { memo } = double.chains()[0]!.start;
  const add = (workflowId: string, changed: Partial<ListedRun['memo']> = {}) =>
    runs.push({
      ...{ workflowId, runId: `${workflowId}-run`, memo: { ...memo, ...changed } },
      ...{ startedAt: new Date(clock.now()), running: true },
    });
  for (const namespace of namespaces) add(`${namespace}-0`);
  const declareLoss = async () => {
    clock.advance(1_000);
    await ledger().query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
    await passes.heartbeat();
  };
  await declareLoss();
  const adopt = async () => expect(await passes.adopt()).toMatchObject({ complete: true });
  const another = async () => (await triggerAnswering(ledger(), answers, options)).passes;
  const names = () => asked.splice(0).map(({ workflowId }) => workflowId);
  return { trigger, passes, pages, names, asked, add, adopt, another, declareLoss };
}

async function round() {
  const [row] = await ledger().query<{ value: Record<string, unknown> | null }>(
    `select value from escapement.meta where key = 'parked_round'`,
  );
  return row?.value;
}

const said = (message: string) => ledger().log.lines.filter((line) => line.message.startsWith(message));
const ASKED = 'asked parked runs for letters';
const CANNOT = 'parked runs cannot be asked';

describe('after a failover, parked runs', () => {
  it('are not asked before the ledger has a row for each of them', async () => {
    const { passes, pages, names, adopt } = await afterFailover();
    expect(await passes.askParked()).toEqual({ asked: 0, complete: false });
    expect(pages).toEqual([]);
    await adopt();
    expect(await passes.askParked()).toEqual({ asked: 1, complete: true });
    expect(names()).toEqual(['aa-0']);
    expect(said(ASKED)).toMatchObject([{ level: 'info', meta: { asked: 1 } }]);
  });

  it('of any age are asked, in small pages of running ones only', async () => {
    const { passes, pages, adopt, add, asked } = await afterFailover({ limits: { startBatchSize: 7 } });
    add('aa-1');
    await adopt();
    expect(await passes.askParked()).toEqual({ asked: 2, complete: true });
    const page = { since: new Date(0), onlyParking: true, size: 7 };
    expect(pages.map((one) => one.page)).toEqual([
      { ...page, token: undefined },
      { ...page, token: '1' },
    ]);
    expect(asked.map(({ runId }) => runId)).toEqual(['aa-0-run', 'aa-1-run']);
    expect(said(ASKED)).toMatchObject([{ level: 'info', meta: { asked: 2 } }]);
  });

  it('of another ledger are left alone, and nothing is said where none was asked', async () => {
    const { passes, adopt, add, names } = await afterFailover({ namespaces: ['aa', 'bb'] });
    add('aa-1', { installation: '00000000-0000-0000-0000-000000000000' });
    await adopt();
    expect(await passes.askParked()).toEqual({ asked: 2, complete: true });
    expect(names().sort()).toEqual(['aa-0', 'bb-0']);
    expect(said(ASKED)).toHaveLength(1);
    expect(await passes.askParked()).toEqual({ asked: 0, complete: true });
    expect(said(ASKED)).toHaveLength(1);
  });

  it('are asked twice: at once, and again after the list is read once more', async () => {
    const { trigger, passes, adopt, names, pages } = await afterFailover();
    await adopt();
    await passes.askParked();
    expect(await round()).toMatchObject({ name: 'at once', isDone: true });
    // In between, nothing is asked, and any trigger plans when the list is read again.
    pages.splice(0);
    Reflect.get(trigger, 'context').adoption.again = undefined;
    expect(await passes.askParked()).toEqual({ asked: 0, complete: true });
    expect(pages).toEqual([]);
    expect(Reflect.get(trigger, 'context').adoption.again).toEqual({
      ...{ since: new Date('2026-03-01T00:30:00Z'), at: Date.parse('2026-03-01T01:01:01Z') },
    });
    ledger().clock.advance(60_000);
    await adopt();
    names();
    expect(await passes.askParked()).toEqual({ asked: 1, complete: true });
    expect(names()).toEqual(['aa-0']);
    expect(await round()).toBeNull();
    expect(Reflect.get(trigger, 'context').adoption.again).toBeUndefined();
    expect(await passes.askParked()).toEqual({ asked: 0, complete: true });
  });

  it('are not asked further once the trigger stops, or hears of another loss', async () => {
    let meanwhile: () => unknown = () => {};
    const one = await afterFailover({ lists: () => meanwhile() });
    one.add('aa-1');
    await one.adopt();
    meanwhile = () => one.declareLoss();
    expect(await one.passes.askParked()).toEqual({ asked: 1, complete: false });
    expect(one.names()).toEqual(['aa-0']);
    meanwhile = () => {};
    await one.adopt();
    // The next round begins with the first page.
    meanwhile = () => one.trigger.shutdown();
    expect(await one.passes.askParked()).toEqual({ asked: 0, complete: false });
    expect(await round()).toMatchObject({ places: {}, isDone: false });
    meanwhile = () => {};
    expect(await (await one.another()).askParked()).toEqual({ asked: 2, complete: true });
  });
});

describe('where Temporal cannot be asked', () => {
  const refusal = new TemporalCallError('may not list', 'refused', { cause: grpcError(PERMISSION_DENIED, 'may not') });

  it('one namespace is asked again by the next pass, and the others are done', async () => {
    let refused = ['bb', 'cc'];
    const { passes, adopt, names, pages, another } = await afterFailover({
      namespaces: ['aa', 'bb', 'cc'],
      lists: (_, namespace) => refused.includes(namespace) && Promise.reject(refusal),
    });
    await adopt();
    expect(await passes.askParked()).toEqual({ asked: 1, complete: false });
    expect(names()).toEqual(['aa-0']);
    const line = { level: 'warn', meta: { error: 'may not list' } };
    expect(said(CANNOT)).toMatchObject([line, line]);
    expect(
      said(CANNOT)
        .map(({ meta }) => meta.namespace)
        .sort(),
    ).toEqual(['bb', 'cc']);
    const since = new Date(ledger().clock.now()).toISOString();
    const error = { error: 'may not list', since };
    expect(await round()).toMatchObject({ isDone: false, places: { aa: true }, refused: { bb: error, cc: error } });
    // Only this trigger may be refused, so another one is free to go on.
    expect(await round()).not.toHaveProperty('owner');
    ledger().clock.advance(5_000);
    refused = ['cc'];
    pages.splice(0);
    const other = await another();
    expect(await other.askParked()).toEqual({ asked: 1, complete: false });
    expect(pages.map(({ namespace }) => namespace).sort()).toEqual(['bb', 'cc']);
    expect(await round()).toMatchObject({ places: { aa: true, bb: true }, refused: { cc: error } });
    refused = [];
    expect(await passes.askParked()).toEqual({ asked: 1, complete: true });
    expect(said('parked runs are asked for their letters again')).toMatchObject([{ meta: { namespace: 'cc' } }]);
  });

  it('a place that the server has forgotten is given up, and any other is kept', async () => {
    let error: TemporalCallError | undefined = refusal;
    const { passes, adopt, add, names } = await afterFailover({
      lists: ({ token }) => token && error && Promise.reject(error),
    });
    add('aa-1');
    await adopt();
    expect(await passes.askParked()).toEqual({ asked: 1, complete: false });
    expect(await round()).toMatchObject({ places: { aa: '1' } });
    error = new TemporalCallError('bad token', 'rejected');
    names();
    expect(await passes.askParked()).toEqual({ asked: 0, complete: false });
    expect(await round()).toMatchObject({ places: {}, refused: { aa: { error: 'bad token' } } });
    error = undefined;
    expect(await passes.askParked()).toEqual({ asked: 2, complete: true });
    expect(names()).toEqual(['aa-0', 'aa-1']);
  });

  it('a list that it rejects from its beginning is said to be so since the first time', async () => {
    const { passes, adopt } = await afterFailover({
      lists: () => Promise.reject(new TemporalCallError('bad query', 'rejected')),
    });
    await adopt();
    const since = new Date(ledger().clock.now()).toISOString();
    for (let pass = 0; pass < 2; pass++) {
      expect(await passes.askParked()).toEqual({ asked: 0, complete: false });
      ledger().clock.advance(5_000);
    }
    expect(await round()).toMatchObject({ refused: { aa: { error: 'bad query', since } } });
  });

  it('a namespace that is away is not said to be refused: another line says that it is away', async () => {
    const { passes, adopt } = await afterFailover({
      lists: () => Promise.reject(new TemporalCallError('no answer', 'away', { ofNamespace: true })),
    });
    await adopt();
    expect(await passes.askParked()).toEqual({ asked: 0, complete: false });
    expect(await passes.askParked()).toEqual({ asked: 0, complete: false });
    expect(said(CANNOT)).toEqual([]);
    expect(await round()).toMatchObject({ refused: { aa: { error: 'no answer' } } });
  });

  it('an error of this program ends the pass', async () => {
    const { passes, adopt } = await afterFailover({ lists: () => Promise.reject(new Error('a bug in the list')) });
    await adopt();
    await expect(passes.askParked()).rejects.toThrow('a bug in the list');
  });
});

describe('where one run cannot be asked', () => {
  async function refusing(error: Error) {
    const one = await afterFailover({ signals: ({ workflowId }) => workflowId === 'aa-0' && Promise.reject(error) });
    one.add('aa-1');
    await one.adopt();
    return one;
  }

  it('one that has ended since is passed over in silence', async () => {
    const one = await afterFailover({ signals: ({ workflowId }) => (workflowId === 'aa-0' ? 'over' : undefined) });
    one.add('aa-1');
    await one.adopt();
    expect(await one.passes.askParked()).toEqual({ asked: 1, complete: true });
    expect(one.names()).toEqual(['aa-1']);
    expect(said('could not ask')).toEqual([]);
  });

  it('one that takes no signals is passed over, and said', async () => {
    const { passes, names } = await refusing(
      new TemporalCallError('too many', 'refused', { cause: grpcError(FAILED_PRECONDITION, 'too many signals') }),
    );
    expect(await passes.askParked()).toEqual({ asked: 1, complete: true });
    expect(names()).toEqual(['aa-1']);
    expect(said('could not ask parked runs for their letters')).toMatchObject([
      { level: 'warn', meta: { workflowId: 'aa-0', runId: 'aa-0-run', error: 'too many' } },
    ]);
  });

  it.each<[string, TemporalCallError]>([
    ['busy', new TemporalCallError('overloaded', 'busy')],
    ['silent', new TemporalCallError('no answer', 'away')],
    ['away', new TemporalCallError('no namespace', 'refused', { ofNamespace: true })],
    ['not to be signalled', new TemporalCallError('no', 'refused', { cause: grpcError(PERMISSION_DENIED, 'no') })],
  ])('the page is asked again later where the server is %s', async (_, error) => {
    const { passes, names } = await refusing(error);
    expect(await passes.askParked()).toEqual({ asked: 0, complete: false });
    expect(names()).toEqual([]);
    expect(said('could not ask')).toEqual([]);
    expect(await round()).toMatchObject({ isDone: false, places: {}, refused: { aa: { error: error.message } } });
  });

  it('an error of this program ends the pass', async () => {
    const { passes } = await refusing(new Error('a bug in the signal'));
    await expect(passes.askParked()).rejects.toThrow('a bug in the signal');
  });
});
