import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSpec, SharedSpecs } from '../../../core/occurrences';
import { RememberedSpec } from '../../../core/occurrences/remembered';
import { isHashed } from '../../../core/occurrences/shared';
import { anySpec, ourCron } from './arbitrary';

const DAY = 86_400_000;
const START = Date.UTC(2026, 2, 27);

describe('occurrences that are shared by schedules of one form', () => {
  it('are the same as without a memory, whatever was asked before', () => {
    const question = fc.record({
      ask: fc.constantFrom('next' as const, 'previous' as const, 'count' as const),
      // Mostly close together, as what is due at about one instant is.
      at: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 4 * DAY })),
      length: fc.integer({ min: 0, max: DAY }),
    });
    fc.assert(
      fc.property(anySpec, fc.array(question, { minLength: 5, maxLength: 60 }), (spec, questions) => {
        const plain = compileSpec(spec, { scheduleId: 'some' });
        const remembered = new RememberedSpec(plain);
        for (const { ask, at, length } of questions) {
          const from = START + at;
          if (ask === 'count') expect(remembered.count(from, from + length)).toBe(plain.count(from, from + length));
          else expect(remembered[ask](from)).toBe(plain[ask](from));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are each schedule’s own wherever its ID decides, whatever the form', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anySpec,
          ourCron.map((cron) => ({ cron })),
        ),
        fc.boolean(),
        (spec, isLower) => {
          const cron = isLower ? [spec.cron ?? []].flat().map((one) => one.toLowerCase()) : spec.cron;
          const given = { ...spec, ...(cron === undefined ? {} : { cron }) };
          const shared = new SharedSpecs();
          for (const scheduleId of ['one', 'other', 'third']) {
            const plain = compileSpec(given, { scheduleId });
            expect(shared.compile(given, scheduleId).next(START)).toBe(plain.next(START));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are computed once for a form', () => {
    const specs = new SharedSpecs();
    expect(specs.compile({ cron: '0 2 * * THU' }, 'one')).toBe(specs.compile({ cron: '0 2 * * THU' }, 'other'));
    expect(specs.compile({ cron: '0 2 * * *' }, 'one')).not.toBe(
      specs.compile({ cron: '0 2 * * *', timezone: 'Europe/Berlin' }, 'one'),
    );
  });

  it('are not shared where the ID of the schedule decides', () => {
    const specs = new SharedSpecs();
    for (const spec of [
      { cron: 'H 2 * * *' },
      { cron: 'h h * * *' },
      { cron: ['0 1 * * *', '5 H * * *'] },
      { cron: '0 2 * * *', jitter: '1h' as const },
    ]) {
      expect(specs.compile(spec, 'one')).not.toBe(specs.compile(spec, 'other'));
    }
  });

  it('are shared again where jitter is none', () => {
    const specs = new SharedSpecs();
    expect(specs.compile({ cron: '0 2 * * *', jitter: 0 }, 'one')).toBe(
      specs.compile({ cron: '0 2 * * *', jitter: 0 }, 'other'),
    );
  });

  it('are kept for 2,000 forms; the oldest is dropped', () => {
    const specs = new SharedSpecs();
    const compile = (n: number) => specs.compile({ at: new Date(n * 1000) }, 'one');
    const [first, second] = [compile(0), compile(1)];
    for (let n = 2; n < 2_000; n++) compile(n);
    expect([compile(0), compile(1)]).toEqual([first, second]);
    expect(compile(0)).toBe(first);
    const latest = compile(2_000);
    expect(compile(1)).toBe(second);
    expect(compile(2_000)).toBe(latest);
    const again = compile(0);
    expect(again).not.toBe(first);
    // For the form that came again, the next oldest went.
    expect(compile(1)).not.toBe(second);
    expect(compile(0)).toBe(again);
  });

  it('are not shared for a spec that is refused', () => {
    const specs = new SharedSpecs();
    for (const scheduleId of ['one', 'other']) {
      expect(() => specs.compile({ cron: '61 2 * * *' }, scheduleId)).toThrow('minute "61" is not allowed');
    }
  });
});

describe('the ID of a schedule may decide the times of', () => {
  it.each([
    ['H 2 * * *', true],
    ['h 2 * * *', true],
    ['0 H * * *', true],
    ['0,H 2 * * *', true],
    ['0 2 H(1-5) * *', true],
    ['0\tH * * *', true],
    ['H/15 * * * *', true],
    ['0 2 * * *', false],
    ['0 2 * MARCH *', false],
    ['0 2 * * THU', false],
    ['@hourly', false],
    ['', false],
  ])('the expression %j: %s', (cron, decides) => {
    expect(isHashed({ cron })).toBe(decides);
    expect(isHashed({ cron: ['0 1 * * *', cron] })).toBe(decides);
  });
  it('no spec without expressions', () => {
    expect([isHashed({}), isHashed({ cron: [] })]).toEqual([false, false]);
  });
});

it('a spec with jitter that takes too long to count is planned by its next times', () => {
  const calendars = Array.from({ length: 250 }, () => ({ hour: '*' as const }));
  const spec = new SharedSpecs().compile({ calendars, jitter: 5_000 } as never, 'jittered');
  const first = spec.next(Date.parse('2026-03-01T00:30:00Z'))!;
  expect(spec.count(first - 1, first + 10_000)).toBe(1);
  expect(spec.count(first, first + 10_000)).toBe(0);
});
