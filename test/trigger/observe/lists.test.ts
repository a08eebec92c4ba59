import { expect, it } from 'vitest';
import { TemporalCallError } from '../../../temporal/port';
import { LIMITS } from '../../../trigger/limits';
import { EndLists } from '../../../trigger/observe/end-lists';
import { finish } from '../../support/workers/workflows';
import { asked, type List, useWatchedLists } from './watched';

const { ledger, watchedTrigger, startMany } = useWatchedLists();

const refuse = async () => {
  throw new TemporalCallError('not allowed, as ordered', 'refused');
};

const listed = (calls: string[]) => calls.filter((call) => call === 'listEnds').length;

it('a list that no answer comes to holds up no poll in its namespace', async () => {
  let answer: () => void = () => {};
  const silent = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const lists = (list: List) => silent.then(list);
  const { calls, executions, observe, rows, trigger } = await startMany(1, 'untilFinished', { lists });
  const [execution] = await executions();
  // The first pass finds that the namespace is to be listed.
  await observe();
  const listing = observe();
  try {
    // Only from its call on does the next pass leave the list alone, and not ask for it too.
    await expect.poll(() => calls).toContain('listEnds');
    await execution!.signal(finish);
    await execution!.result();
    ledger().clock.advance(61_000);
    await trigger.passes.observe();
    expect(await rows()).toMatchObject([{ state: 'closed', outcome: 'completed' }]);
  } finally {
    answer();
    await listing;
  }
});

it('what a silent namespace keeps waiting is not taken for polled', async () => {
  let answer: () => void = () => {};
  const silent = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { calls, rows, trigger } = await startMany(15, 'untilFinished', {
    limits: { batchSize: 50, listEndsIntervalMilliseconds: 0 },
    describes: (describe) => silent.then(describe),
  });
  ledger().clock.advance(1_000);
  const now = () => ledger().clock.now();
  const due = async () =>
    (await ledger().query(`select from escapement.firings where check_at <= $1`, [new Date(now())])).length;
  const first = trigger.passes.observe();
  try {
    // The rows are taken a moment before the pass asks about them, and only then its namespace counts as busy.
    await expect.poll(() => asked(calls)).toBeGreaterThan(0);
    expect(await due()).toBe(5);
    expect(await trigger.passes.observe()).toMatchObject({ polled: 0, complete: false });
    expect(await due()).toBe(5);
  } finally {
    answer();
    await first;
  }
  expect(await rows()).toHaveLength(15);
  expect(await trigger.passes.observe()).toMatchObject({ polled: 5, complete: true });
});

it('a list goes back as far as polls leave chains alone, however long nothing was listed', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  const since = (listedTo: string) => new EndLists(() => now, LIMITS).rangeOf('default', new Date(listedTo)).since;
  expect(since('2026-03-01T11:59:00Z')).toEqual(new Date('2026-03-01T11:58:30Z'));
  expect(since('2026-02-01T00:00:00Z')).toEqual(new Date('2026-03-01T11:54:00Z'));
});

it('a chain is first polled within five minutes, however late its trigger calls it stalled', () => {
  const firstPollAfter = (stalledAfterMilliseconds: number) =>
    new EndLists(() => 0, { ...LIMITS, stalledAfterMilliseconds }).firstPollAfter('default');
  expect(firstPollAfter(60_000)).toBe(61_000);
  expect(firstPollAfter(19 * 60_000)).toBe(300_000);
});

it('one trigger at a time lists the ends of a namespace, and none six minutes after anything was seen to run there', async () => {
  const first = await startMany(1, 'untilFinished');
  await first.observe();
  const second = await watchedTrigger();
  ledger().clock.advance(1_000);
  const passes = [first.trigger, second.trigger].map((trigger) => trigger.passes.observe());
  const listed = (await Promise.all(passes)).map((pass) => pass.listed);
  expect(listed.sort()).toEqual([0, 1]);
  await ledger().query(`update escapement.firings set check_at = 'infinity'`);
  expect(await first.observe(357_000)).toMatchObject({ listed: 1 });
  expect(await first.observe()).toMatchObject({ listed: 0 });
});

it.each<[string, () => ReturnType<List>]>([
  ['where the server cannot list', async () => undefined],
  ['where it refuses to', refuse],
])('each chain is polled by itself, once a second at first, %s', async (_, lists) => {
  const { calls, executions, observe, rows } = await startMany(2, 'untilFinished', { lists });
  // The first pass has the namespace listed, the second finds that it is not.
  for (let second = 0; second < 3; second++) await observe();
  expect(asked(calls)).toBeGreaterThanOrEqual(2);
  for (const execution of await executions()) {
    await execution.signal(finish);
    await execution.result();
  }
  await observe();
  expect((await rows()).map(({ state }) => state)).toEqual(['closed', 'closed']);
  // The namespace may list ends by now, which is tried again after pauses that grow.
  expect(listed(calls)).toBe(3);
  await observe();
  expect(listed(calls)).toBe(3);
  await observe(60_000);
  expect(listed(calls)).toBe(4);
});

it('each chain is polled by itself once a namespace that answers has given no list for a quarter of a minute', async () => {
  const { executions, observe, rows } = await startMany(2, 'untilFinished', {
    lists: async () => {
      throw new TemporalCallError('the visibility store is down', 'away');
    },
  });
  for (const execution of await executions()) {
    await execution.signal(finish);
    await execution.result();
  }
  const states = async () => (await rows()).map(({ state }) => state);
  for (let second = 0; second < 10; second++) await observe();
  expect(await states()).toEqual(['linked', 'linked']);
  for (let second = 10; second < 20; second++) await observe();
  expect(await states()).toEqual(['closed', 'closed']);
});

it('a namespace that has refused one list is asked again by the next pass', async () => {
  let isRefused = true;
  const { calls, observe } = await startMany(1, 'untilFinished', {
    lists: (list) => (isRefused ? refuse() : list()),
  });
  await observe();
  await observe();
  expect(listed(calls)).toBe(1);
  isRefused = false;
  await observe();
  expect(listed(calls)).toBe(2);
});

it('chains of a namespace that does not list are polled at once too if nothing ran there for long', async () => {
  const { executions, observe, rows, trigger } = await startMany(1, 'echoFiring', { lists: refuse });
  const states = async () => (await rows()).map(({ state }) => state);
  const endLast = async () => (await executions()).at(-1)!.result();
  await endLast();
  for (let second = 0; second < 3; second++) await observe();
  expect(await states()).toEqual(['closed']);
  ledger().clock.advance(600_000);
  const [firing] = await ledger().query<{ schedule_id: string }>('select schedule_id from escapement.firings');
  await ledger().client.getHandle(firing!.schedule_id).trigger();
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  await endLast();
  expect(await states()).toEqual(['closed', 'linked']);
  for (let second = 0; second < 2; second++) await observe();
  expect(await states()).toEqual(['closed', 'closed']);
});

it('a namespace that goes on not to list is asked after pauses that grow to a minute', () => {
  let second = 0;
  const ends = new EndLists(() => second * 1_000, LIMITS);
  const askedAt: number[] = [];
  for (; second < 200; second++) {
    if (ends.leftAlone().length > 0) continue;
    ends.doesNotList('default');
    askedAt.push(second);
  }
  expect(askedAt).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 124, 184]);
});

it('a namespace that did not list before the clock was set back is asked at once, and its chains are polled', () => {
  let now = Date.parse('2026-03-01T12:00:00Z');
  const ends = new EndLists(() => now, LIMITS);
  ends.doesNotList('default');
  now += 60_000;
  ends.doesNotList('default');
  // As a reading of the database's clock may do that was slower than the one before.
  now -= 500;
  expect(ends.leftAlone()).toEqual(['default']);
  now -= 3_600_000;
  expect(ends.leftAlone()).toEqual([]);
  expect(ends.doesNotList('default')).toBe(true);
});

it('while a namespace that did not list is asked again, its chains count as polled by themselves', () => {
  let now = Date.parse('2026-03-01T12:00:00Z');
  const ends = new EndLists(() => now, LIMITS);
  ends.runs('default');
  expect(ends.isAnyUnlisted).toBe(false);
  expect(ends.doesNotList('default')).toBe(true);
  now += 60_000;
  expect(ends.doesNotList('default')).toBe(false);
  now += 59_999;
  expect(ends.leftAlone()).toEqual(['default']);
  now += 1;
  expect(ends.leftAlone()).toEqual([]);
  expect(ends.unlisted()).toEqual(['default']);
  expect(ends.isAnyUnlisted).toBe(true);
  // Another trigger may list it since.
  now += 60_000;
  expect(ends.unlisted()).toEqual([]);
  // If it still does not list, chains whose polls were postponed since are made due.
  expect(ends.doesNotList('default')).toBe(true);
});

it('a full page of which hardly any has ended is enough for a second, and where many have the next one follows', async () => {
  const { executions, observe } = await startMany(5, 'untilFinished', {
    limits: { batchSize: 10, listEndsIntervalMilliseconds: 0 },
  });
  expect(await observe()).toMatchObject({ polled: 2, more: false });
  for (const execution of await executions()) {
    await execution.signal(finish);
    await execution.result();
  }
  expect(await observe(30_000)).toMatchObject({ polled: 2, closed: 2, more: true });
});
