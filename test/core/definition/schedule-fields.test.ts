import { describe, expect, it } from 'vitest';
import { refuseUnknownFields, SCHEDULE_FIELDS } from '../../../core/definition/schedule-fields';
import { scheduleShape } from '../../../core/definition/shape';
import { problemsOf } from '../../../core/options';
import { refusalBy } from '../../support/refusal';

const PARTS = ['action', 'policies', 'state'] as const;

const refusal = (options: object) => refusalBy(() => refuseUnknownFields(options));

it('the fields that a declaration may have are those that create takes', () => {
  for (const [part, fields] of Object.entries(SCHEDULE_FIELDS)) {
    const options = { [part === 'options' ? 'noSuchField' : part]: part === 'options' ? 1 : { noSuchField: 1 } };
    const known = problemsOf(scheduleShape, options).find(({ path }) => path.endsWith('noSuchField'));
    expect(known?.problem).toContain(`here; ${fields.join(', ')} are`);
  }
});

describe('a declaration', () => {
  it('may have each field, whatever its value', () => {
    const withAll = (part: keyof typeof SCHEDULE_FIELDS) =>
      Object.fromEntries(SCHEDULE_FIELDS[part].map((name) => [name, 'anything']));
    const parts = Object.fromEntries(PARTS.map((part) => [part, withAll(part)]));
    expect(() => refuseUnknownFields({ ...withAll('options'), ...parts })).not.toThrow();
  });

  it('may lack each field', () => {
    expect(() => refuseUnknownFields({})).not.toThrow();
    expect(() => refuseUnknownFields({ action: {}, policies: {}, state: {} })).not.toThrow();
  });

  it.each([
    [{ polices: {} }, 'polices', 'policies'],
    [{ action: { taskQueu: 'reports' } }, 'action.taskQueu', 'taskQueue'],
    [{ policies: { overlp: 'SKIP' } }, 'policies.overlp', 'overlap'],
    [{ state: { pause: true } }, 'state.pause', 'paused'],
    // Also beside fields that are right, and with the value undefined.
    [{ scheduleId: 'nightly', action: { type: 'startWorkflow', ags: undefined } }, 'action.ags', 'args'],
  ])('with a misspelt field, %j, is refused at that field with the right name', (options, path, right) => {
    const error = refusal(options);
    expect(error.path).toBe(path);
    expect(error.problem).toMatch(new RegExp(`^is not a field here; .* are; did you mean ${right}\\?$`));
  });

  it('is refused with all names that the part may have', () => {
    expect(refusal({ state: { frozen: true } }).message).toBe(
      `state.frozen: is not a field here; ${SCHEDULE_FIELDS.state.join(', ')} are`,
    );
  });

  it.each(PARTS)('with a field of the schedule in its %s is refused', (part) => {
    expect(refusal({ [part]: { scheduleId: 'nightly' } }).path).toBe(`${part}.scheduleId`);
  });

  it('with several unknown fields is refused at the first, those of the schedule itself before its parts', () => {
    expect(refusal({ state: { second: 1 }, action: { first: 1, later: 1 } }).path).toBe('action.first');
    expect(refusal({ action: { later: 1 }, first: 1, second: 1 }).path).toBe('first');
  });

  it.each(PARTS)('whose %s is no object is left to create, which says what is wrong', (part) => {
    for (const value of ['nightly', 5, true, null, undefined, () => 5]) {
      expect(() => refuseUnknownFields({ [part]: value })).not.toThrow();
    }
  });
});
