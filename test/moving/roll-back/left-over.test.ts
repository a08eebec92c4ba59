import { describe, expect, it } from 'vitest';
import { compileSpec } from '../../../core/occurrences';
import { leftOver } from '../../../moving/roll-back/left-over';

const MINUTE = 60_000;
const everyMinute = compileSpec({ intervals: [{ every: '1m' }] }, { scheduleId: 's' });

interface About {
  answeredTo: number;
  first: number | null;
  since?: number;
  now: number;
  knownFrom?: number;
  frozen?: number[];
  excluded?: number[];
  atMost?: number;
}

/** All in minutes; `started` says when native started a nominal time. */
async function leftOf(about: About, started = {}, theirs = everyMinute) {
  return (await leftAndAsked(about, started, theirs)).left;
}

async function leftAndAsked(about: About, started = {}, theirs = everyMinute) {
  const { answeredTo, first, since, now, knownFrom = 0, frozen = [], excluded = [] } = about;
  const { atMost = Number.POSITIVE_INFINITY } = about;
  const isFrozen = (at: number) => frozen.includes(at / MINUTE);
  const silence = { isFrozen, isSilent: (at: number) => isFrozen(at) || excluded.includes(at / MINUTE) };
  const runs = new Map(Object.entries(started).map(([nominal, at]) => [Number(nominal), Number(at)]));
  const goesOn = {
    first: first === null ? null : first * MINUTE,
    since: since === undefined ? null : since * MINUTE,
    isPaused: false,
    given: null,
  };
  const instants = { answeredTo: answeredTo * MINUTE, now: now * MINUTE, knownFrom: knownFrom * MINUTE };
  const all = { theirs, goesOn, silence, atMost, ...instants };
  const asked: number[] = [];
  const { left, held } = await leftOver(everyMinute, all, async (nominal) => {
    asked.push(nominal / MINUTE);
    const startedAt = runs.get(nominal / MINUTE);
    return startedAt === undefined
      ? undefined
      : { workflowId: 'w', runId: 'r', workflowType: 'report', isRunning: false, startedAt: startedAt * MINUTE };
  });
  return { left: left.map((time) => time / MINUTE), held, asked };
}

it('is all that fell due before native goes on, however late that is', async () => {
  expect(await leftOf({ answeredTo: 5, first: 6, now: 5.5 })).toEqual([]);
  expect(await leftOf({ answeredTo: 5, first: 9, now: 8.5 })).toEqual([6, 7, 8]);
});

it('is all up to now where native comes to none any more', async () => {
  expect(await leftOf({ answeredTo: 5, first: null, now: 7.5 })).toEqual([6, 7]);
});

it('is not what native has started, before or after', async () => {
  expect(await leftOf({ answeredTo: 5, first: 9, now: 8.5 }, { 6: 6, 8: 8 })).toEqual([7]);
});

it('ends at the first that native started after an earlier call had unpaused it: what it left out later stays so', async () => {
  expect(await leftOf({ answeredTo: 5, first: 90, since: 6, now: 89.5 }, { 9: 9, 40: 40 })).toEqual([6, 7, 8]);
});

it('does not end at what native started before, or by a clock that is apart', async () => {
  expect(await leftOf({ answeredTo: 5, first: 10, since: 7, now: 9.5 }, { 6: 6.9, 7: 7.5 })).toEqual([8, 9]);
});

it('is nothing that a freeze has held back or a person has excluded, and Temporal is not asked about these', async () => {
  const about = { answeredTo: 5, first: 11, now: 10.5, frozen: [6, 7, 8], excluded: [8, 9] };
  expect(await leftAndAsked(about)).toEqual({ left: [10], held: 3, asked: [10] });
});

it('is no more than the actions that are left, and Temporal is asked about no more', async () => {
  const about = { answeredTo: 5, first: 11, now: 10.5, frozen: [6, 9] };
  expect(await leftAndAsked({ ...about, atMost: 1 })).toEqual({ left: [7], held: 1, asked: [7] });
  expect(await leftAndAsked({ ...about, atMost: 0 })).toEqual({ left: [], held: 0, asked: [] });
});

it('ends at the first that native started after an earlier call had unpaused it, also if a freeze has held it here', async () => {
  const about = { answeredTo: 5, first: 90, since: 7, now: 89.5, frozen: [6, 7, 9, 10] };
  expect(await leftAndAsked(about, { 9: 9 })).toEqual({ left: [8], held: 2, asked: [8, 9] });
});

it('is nothing later than an earlier unpause whose run Temporal may have forgotten', async () => {
  const about = { answeredTo: 5, first: 90, since: 6, now: 89.5, knownFrom: 10 };
  expect(await leftOf(about, { 12: 12 })).toEqual([6, 7, 10, 11]);
  expect(await leftOf({ ...about, knownFrom: 90 })).toEqual([6, 7]);
});

describe('of a schedule whose spec was changed here', () => {
  const everyHour = compileSpec({ intervals: [{ every: '1h' }] }, { scheduleId: 's' });

  it('is nothing that is still to come', async () => {
    expect(await leftOf({ answeredTo: 5, first: 60, now: 7.5 }, {}, everyHour)).toEqual([6, 7]);
  });

  it('is also what is due behind the first that native runs, unless native has it too', async () => {
    expect(await leftOf({ answeredTo: 57, first: 60, now: 62.5 }, {}, everyHour)).toEqual([58, 59, 61, 62]);
  });

  it('ends where an earlier call had unpaused native', async () => {
    expect(await leftOf({ answeredTo: 5, first: 180, since: 7, now: 150 }, { 60: 60 }, everyHour)).toEqual([6, 7]);
  });
});
