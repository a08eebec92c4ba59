import { afterEach, expect, inject, it, vi } from 'vitest';
import { refusing } from '../../support/failures/refusing';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const RESOURCE_EXHAUSTED = 8;

afterEach(() => {
  vi.useRealTimers();
});

it('that a server is too busy for starts is said at once, each minute for how long, and when it takes them again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let isBusy = true;
  const isRefused = (method: string) => isBusy && method === 'StartWorkflowExecution';
  const connection = refusing(inject('temporalAddress'), RESOURCE_EXHAUSTED, isRefused);
  const trigger = await ledger().trigger({ connection });
  await ledger().client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
  const fireAfter = async (milliseconds: number, hour: string) => {
    vi.advanceTimersByTime(milliseconds);
    ledger().clock.set(`2026-03-01T${hour}:00:00Z`);
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    return ledger()
      .log.lines.filter(({ message }) => message.includes('too busy'))
      .map(({ level, message, meta }) => [level, message, meta.namespace, meta.seconds]);
  };
  const atOnce = ['warn', 'starts held back: Temporal is too busy', 'default', undefined];
  expect(await fireAfter(0, '01')).toEqual([atOnce]);
  expect(await fireAfter(5_000, '02')).toEqual([atOnce]);
  expect((await fireAfter(55_000, '03')).slice(1)).toEqual([
    ['error', 'starts held back: Temporal is too busy', 'default', 60],
  ]);
  isBusy = false;
  expect((await fireAfter(5_000, '04')).slice(2)).toEqual([
    ['info', 'Temporal no longer refuses starts as too busy', 'default', 65],
  ]);
});

it('that a server was too busy once is over after half a minute without another refusal, whoever starts the rest', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let isBusy = true;
  const isRefused = (method: string) => isBusy && method === 'StartWorkflowExecution';
  const connection = refusing(inject('temporalAddress'), RESOURCE_EXHAUSTED, isRefused);
  const trigger = await ledger().trigger({ connection });
  await ledger().client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
  const fire = async (hour: string) => {
    ledger().clock.set(`2026-03-01T${hour}:00:00Z`);
    await trigger.passes.claim();
    await trigger.passes.dispatch();
  };
  const said = () =>
    ledger()
      .log.lines.filter(({ message }) => message.includes('too busy'))
      .map(({ level, message, meta }) => [level, message, meta.namespace, meta.seconds]);
  const atOnce = ['warn', 'starts held back: Temporal is too busy', 'default', undefined];
  await fire('01');
  vi.advanceTimersByTime(30_000);
  await trigger.passes.sayOver();
  expect(said()).toEqual([atOnce]);
  vi.advanceTimersByTime(1);
  await trigger.passes.sayOver();
  const over = ['info', 'Temporal no longer refuses starts as too busy', 'default', 30];
  expect(said()).toEqual([atOnce, over]);
  vi.advanceTimersByTime(3_600_000);
  await fire('02');
  expect(said()).toEqual([atOnce, over, atOnce]);
  isBusy = false;
});
