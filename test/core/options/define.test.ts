import { describe, expect, it } from 'vitest';
import { defineSchedule } from '../../../core/define';
import { refusalBy } from '../../support/refusal';

const declared = () => ({
  scheduleId: 'nightly',
  spec: { cron: '0 2 * * *' },
  action: { type: 'startWorkflow' as const, workflowType: 'report', taskQueue: 'jobs' },
});

const refusal = (options: unknown) => refusalBy(() => defineSchedule(options as never));

describe('a declared schedule', () => {
  it('is the very object that was given', () => {
    const options = declared();
    expect(defineSchedule(options)).toBe(options);
    expect(options).toEqual(declared());
  });

  it('is checked only for the names of its fields', () => {
    const wrong = { ...declared(), scheduleId: 5, spec: { cron: 'never' }, policies: 'none' };
    expect(() => defineSchedule(wrong as never)).not.toThrow();
  });

  it.each([
    ['a misspelt field', { ...declared(), polices: {} }, 'polices', 'did you mean policies?'],
    [
      'a misspelt policy',
      { ...declared(), policies: { overlaps: 'SKIP' } },
      'policies.overlaps',
      'did you mean overlap?',
    ],
    ['a misspelt field of the state', { ...declared(), state: { pause: true } }, 'state.pause', 'did you mean paused?'],
  ])('is refused with %s', (_, options, path, problem) => {
    expect(refusal(options)).toMatchObject({ path, problem: expect.stringContaining(problem) });
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'nightly'],
    ['a number', 5],
    ['a function that returns it', declared],
  ])('is not %s', (_, options) => {
    expect(refusal(options)).toMatchObject({ path: 'options', message: 'options: is not a schedule' });
  });
});
