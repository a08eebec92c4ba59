import { Client, Connection } from '@temporalio/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { InvalidScheduleError } from '../core/errors';
import { compileSpec } from '../core/occurrences/compile';
import { normalSpec } from '../core/occurrences/normal-spec';
import { zoneNamed } from '../core/occurrences/zones/zones';
import type { ScheduleSpec } from '../core/schedule/spec';
import { temporalSpec } from './core/occurrences/arbitrary';
import { IN_VERIFY } from './support/verify';

declare module 'vitest' {
  interface ProvidedContext {
    temporalAddress: string;
  }
}

const SPECS = IN_VERIFY ? 250 : 100;
/** As many as the server lists at once. */
const MOST = 1000;

let connection: Connection;
let client: Client;
const run = `occurrences-${Date.now()}`;

beforeAll(async () => {
  connection = await Connection.connect({ address: inject('temporalAddress') });
  client = new Client({ connection });
});
afterAll(() => connection?.close());

interface Answer {
  /** Occurrences in epoch seconds. */
  times: number[];
  /** As it is described. */
  calendars: unknown;
  intervals: unknown;
  skip: unknown;
  timezone: string;
}

/** What the server itself says that a spec matches, and how it describes it; undefined when it refuses the spec. */
async function askServer(id: string, spec: ScheduleSpec, from: number, to: number): Promise<Answer | undefined> {
  try {
    await client.schedule.create({
      scheduleId: id,
      spec,
      action: { type: 'startWorkflow', workflowType: 'never', taskQueue: 'never' },
      state: { paused: true },
    });
  } catch (error) {
    // The SDK's form of INVALID_ARGUMENT.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
  const { startTime } = await connection.workflowService.listScheduleMatchingTimes({
    namespace: 'default',
    scheduleId: id,
    startTime: { seconds: from as never },
    endTime: { seconds: to as never },
  });
  const { spec: described } = await client.schedule.getHandle(id).describe();
  await client.schedule.getHandle(id).delete();
  return {
    times: startTime.map((time) => Number(time.seconds)),
    calendars: described.calendars,
    // The SDK's type promises the offset, and the SDK leaves it out.
    intervals: described.intervals!.map(({ every, offset = 0 }) => ({ every, offset })),
    skip: described.skip,
    timezone: described.timezone!,
  };
}

function askOurs(given: ScheduleSpec, from: number, to: number): Answer {
  const spec = JSON.parse(JSON.stringify(given));
  const compiled = compileSpec(spec);
  const times: number[] = [];
  for (let at = compiled.next(from * 1000); at !== undefined && at <= to * 1000; at = compiled.next(at)) {
    if (times.push(at / 1000) === MOST) break;
  }
  const { calendars, intervals, skip, timezone = '' } = normalSpec(spec);
  return { times, calendars, intervals, skip, timezone };
}

/** A window of ten days around a change of the clock, or anywhere; longer for what is rare. */
function windowOf(spec: ScheduleSpec, seed: number): { from: number; to: number } {
  const zone = zoneNamed(spec.timezone ?? /CRON_TZ=(\S+)/.exec(spec.cronExpressions?.[0] ?? '')?.[1], 'spec.timezone');
  zone.cover(1_420_070_400);
  zone.cover(2_051_222_400);
  const changes = [...zone.starts].filter((start) => start > 1_420_070_400 && start < 2_051_222_400);
  const from =
    changes.length > 0 && seed % 4 > 0
      ? changes[seed % changes.length]! - 3 * 86_400 - (seed % 86_400)
      : 1_420_070_400 + (seed % 600_000_000);
  const compiled = compileSpec(spec);
  const dense = compiled.count(from * 1000, (from + 10 * 86_400) * 1000) > 20;
  return { from: dense ? from + 2 * 86_400 : from, to: from + (dense ? 10 : 900) * 86_400 };
}

const odd: string[] = [
  '0 12 * * MON-WED,FRI',
  '*/15 9-17 * * mon-fri',
  '0 0 1 * 0',
  '0 0 13 * 5',
  '5/20 * * * *',
  '0 0 * * 1-7/2',
  '0 0 * * 7',
  '0 0 * * 0-7/7',
  '0 0 * * 1-7',
  '0 0 * * 0-7',
  '0 0 * * 7/3',
  '0 0 * * 6-7',
  '0 0 * * 2-7/5',
  '0 0 * * 5-7/2',
  '0 0 29 2 *',
  '0 0 31 4 *',
  '0 0 * Sept *',
  '0 0 * February/5 *',
  '0 0 * * Tues',
  '0 0 * * we',
  '0 0 * * w',
  '0 0 * ja *',
  '0 0 * 0 *',
  '0 0 0 * *',
  '60 * * * *',
  '* 24 * * *',
  '0 0 * * 8',
  '0 0 L * *',
  '0 0 ? * *',
  '0 0 * * 5#2',
  '0 0 * * 5L',
  '1-5-7 * * * *',
  '2/3/5 * * * *',
  '5/ * * * *',
  '*/0 * * * *',
  '*/-5 * * * *',
  '*/+5 * * * *',
  '+5 * * * *',
  '18-13 * * * *',
  '13,18, * * * *',
  '-5 * * * *',
  '*-5 * * * *',
  '* * * *',
  '* * * * * * * *',
  '',
  '   ',
  '0 1 2 3 4 1999',
  '0 1 2 3 4 2026',
  '0 1 2 3 * 2101',
  '1 0 1 2 3 * 2026',
  '0 1 2 3 * */7',
  '0 1 2 3 * *',
  '0 0 1 1 * *',
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
  '@Daily',
  '@reboot',
  '@every 5m',
  '@every 5m/30s',
  '@every 5d',
  '@every 1h30m',
  '@every 1.5h',
  '@every .5h',
  '@every 500ms',
  '@every 1s',
  '@every 90',
  '@every',
  '@every  5m',
  '@every -5m',
  '@every 3h/4h',
  '@every 0.00001d',
  '@every 2d12h/1d',
  '@everything 5m',
  '@every 5m # why',
  'CRON_TZ=Europe/Berlin 0 2 * * *',
  'TZ=Asia/Kathmandu 30 5 * * *',
  'TZ=UTC',
  'TZ= 0 2 * * *',
  'CRON_TZ=Europe/Belin 0 2 * * *',
  'CRON_TZ=Europe/Berlin @daily',
  'CRON_TZ=Europe/Berlin @every 2h',
  '0\t2\t*  *\t*',
  ' 0 2 * * * ',
  '0 2 * * *#now',
  '0 2 * * * # L W ?',
  '# 0 2 * * *',
  '0 2 * * * *x',
  '1e1 * * * *',
  '0x5 * * * *',
  '05 002 * * *',
  '*/99 * * * *',
  '0-59/99 * * * *',
  '* * * JAN-MAR sun',
  '0 0 * jan-feb/2,december *',
  '0 0 * * fri-tues',
  '0 0 1-31 1-12 0-6',
  '* * * * *, ',
  '*,*/2 * * * *',
];

describe('beside the real server', () => {
  it(`lists the same times for ${SPECS} random specs, and describes them as we do`, async () => {
    const specs = fc.sample(fc.tuple(temporalSpec, fc.nat({ max: 2 ** 30 })), { numRuns: SPECS, seed: 20_261_120 });
    let compared = 0;
    const queue = specs.map(([spec, seed], i) => async () => {
      const { from, to } = windowOf(spec, seed);
      const theirs = await askServer(`${run}-${i}`, spec, from, to);
      expect({ spec, from, to, ...askOurs(spec, from, to) }).toEqual({ spec, from, to, ...theirs });
      compared += theirs!.times.length;
    });
    await Promise.all(Array.from({ length: 16 }, () => drain(queue)));
    expect(compared).toBeGreaterThan(50 * SPECS);
  });

  it('reads and describes, or refuses, the same odd expressions', async () => {
    const from = Date.UTC(2026, 2, 27) / 1000;
    const to = from + 300 * 86_400;
    const queue = odd.map((expression, i) => async () => {
      const spec = { cronExpressions: [expression] };
      let ours: Answer | undefined;
      try {
        ours = askOurs(spec, from, to);
      } catch (error) {
        if (!(error instanceof InvalidScheduleError)) throw error;
      }
      expect({ expression, ...ours }).toEqual({
        expression,
        ...(await askServer(`${run}-odd-${i}`, spec, from, to)),
      });
    });
    await Promise.all(Array.from({ length: 16 }, () => drain(queue)));
  });
});

async function drain(queue: (() => Promise<void>)[]): Promise<void> {
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) await job();
}
