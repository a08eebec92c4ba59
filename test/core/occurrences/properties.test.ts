import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidScheduleError } from '../../../core/errors';
import { compileSpec } from '../../../core/occurrences';
import { zoneNamed } from '../../../core/occurrences/zones/zones';
import { IN_VERIFY } from '../../support/verify';
import { anySpec, ourCron, ZONES } from './arbitrary';
import { slowTimes, wallSecond } from './reference';

const zone = fc.constantFrom(...ZONES);
const dst = fc.constantFrom('ONCE' as const, 'LITERAL' as const);
const END = 4_133_980_799;

/** An instant of 1970 to 2100, mostly a little before a change of the clock in the zone. */
function instantIn(name: string, seed: number): number {
  const { starts } = ((table) => {
    for (const second of [0, 2_000_000_000, END]) table.cover(second);
    return table;
  })(zoneNamed(name, 'spec.timezone'));
  const change = starts[1 + (seed % Math.max(1, starts.length - 1))];
  return seed % 3 > 0 && change !== undefined ? Math.max(0, change - (seed % 100_000)) : seed % END;
}

const OPTIONS = { scheduleId: 'properties' };
const moment = fc.nat({ max: 2 ** 31 - 1 });

function isAnswered(question: () => unknown): boolean {
  try {
    question();
    return true;
  } catch (error) {
    if (error instanceof InvalidScheduleError) return false;
    throw error;
  }
}

describe('occurrences of any spec', () => {
  it('rise strictly, lead back by previous, and count as they are', () => {
    fc.assert(
      fc.property(anySpec, moment, fc.nat({ max: 999 }), (spec, seed, part) => {
        const compiled = compileSpec(spec, OPTIONS);
        const start = instantIn(spec.timezone ?? 'UTC', seed) * 1000;
        let at = start;
        for (let n = 1; n <= 60; n++) {
          const next = compiled.next(at);
          if (next === undefined) {
            expect(compiled.count(at, END * 1000)).toBe(0);
            break;
          }
          expect(next).toBeGreaterThan(at);
          expect(next % 1000).toBe(0);
          // The same from any instant on the way.
          expect(compiled.next(at + Math.floor(((next - at - 1) * part) / 999))).toBe(next);
          expect(compiled.previous(next + 1)).toBe(next);
          if (n > 1) expect(compiled.previous(next)).toBe(at);
          else expect(compiled.previous(next) ?? 0).toBeLessThanOrEqual(start);
          expect(compiled.count(start, next)).toBe(n);
          expect(compiled.count(start, next - 1)).toBe(n - 1);
          at = next;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('add up over long stretches as they do over short ones', () => {
    fc.assert(
      fc.property(anySpec, moment, moment, moment, (spec, a, b, c) => {
        const [from, middle, to] = [a, b, c].map((n) => (n % END) * 1000).sort((x, y) => x - y) as [
          number,
          number,
          number,
        ];
        const compiled = compileSpec(spec, OPTIONS);
        // A century of every second may be refused.
        fc.pre(isAnswered(() => compiled.count(from, to)));
        const whole = compiled.count(from, to);
        expect(compiled.count(from, middle) + compiled.count(middle, to)).toBe(whole);
        expect(whole > 0).toBe((compiled.next(from) ?? Number.POSITIVE_INFINITY) <= to);
        expect(whole > 0).toBe((compiled.previous(to + 1) ?? Number.NEGATIVE_INFINITY) > from);
      }),
      { numRuns: 150 },
    );
  });

  it('are the same after a round trip through JSON', () => {
    fc.assert(
      fc.property(anySpec, moment, (spec, seed) => {
        const there = compileSpec(spec, OPTIONS);
        const back = compileSpec(JSON.parse(JSON.stringify(spec)), OPTIONS);
        let at: number | undefined = instantIn(spec.timezone ?? 'UTC', seed) * 1000;
        for (let n = 0; n < 20 && at !== undefined; n++) {
          expect(back.next(at)).toBe(there.next(at));
          at = there.next(at);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('do not depend on the time zone of the process', () => {
    const script = join(__dirname, 'print-sample.ts');
    const [utc, ...others] = ['UTC', 'America/St_Johns', 'Pacific/Apia'].map((TZ) =>
      execFileSync(process.execPath, ['--import', 'tsx', script], { env: { ...process.env, TZ } }).toString(),
    );
    expect(utc!.length).toBeGreaterThan(10_000);
    for (const other of others) expect(other).toBe(utc);
  });
});

describe('occurrences of spec.cron', () => {
  it('are those that a slow look at the wall clock finds, under both rules', () => {
    fc.assert(
      fc.property(
        ourCron.filter((cron) => !cron.includes('H')),
        zone,
        dst,
        moment,
        (cron, timezone, rule, seed) => {
          const from = instantIn(timezone, seed);
          const to = from + (cron.split(' ').length > 5 ? 7200 : 2 * 86_400);
          const compiled = compileSpec({ cron, timezone, dst: rule });
          const times: number[] = [];
          for (let at = compiled.next(from * 1000); at !== undefined && at <= to * 1000; at = compiled.next(at)) {
            times.push(at / 1000);
          }
          expect({ cron, timezone, rule, from, times }).toEqual({
            cron,
            timezone,
            rule,
            from,
            times: slowTimes(cron, timezone, rule, from, Math.min(to, END)),
          });
        },
      ),
      { numRuns: IN_VERIFY ? 150 : 60 },
    );
  });
});

describe('the table of a zone', () => {
  it('has the offset that Intl has, at any instant', () => {
    fc.assert(
      fc.property(zone, moment, (name, seed) => {
        const second = instantIn(name, seed);
        for (const near of [second, second + 60, second + 3600, second + 100_000]) {
          expect(zoneNamed(name, 'spec.timezone').offset(near)).toBe(wallSecond(name, near) - near);
        }
      }),
      { numRuns: 2000 },
    );
  });
  it.each(ZONES)('holds every change of the clock in %s, day by day', (name) => {
    const table = zoneNamed(name, 'spec.timezone');
    const wrong: number[] = [];
    for (let second = 0; second < END; second += 86_400) {
      if (table.offset(second) !== wallSecond(name, second) - second) wrong.push(second);
    }
    expect(wrong).toEqual([]);
  });
});
