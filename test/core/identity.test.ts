import { describe, expect, it } from 'vitest';
import { ImpossibleTransitionError } from '../../core/errors';
import { type FiringState, TRANSITIONS, transition } from '../../core/firing';
import { checkWorkflowIdLength, requestIdOf, workflowIdOf } from '../../core/identity';

const firing = {
  scheduleId: 'nightly',
  scheduledTime: new Date('2026-11-20T01:00:00Z'),
  kind: 'schedule' as const,
  epoch: 0,
};

describe('identity of a firing', () => {
  it('is the workflow ID that Temporal’s own schedules give the occurrence', () => {
    expect(workflowIdOf(firing)).toBe('nightly-workflow-2026-11-20T01:00:00Z');
    expect(workflowIdOf({ ...firing, workflowId: 'report' })).toBe('report-2026-11-20T01:00:00Z');
  });

  it('never clashes: manual firings and restarts have a suffix', () => {
    const manual = { ...firing, kind: 'manual' as const, scheduledTime: new Date('2026-11-20T01:00:00.042Z') };
    expect(workflowIdOf(manual)).toBe('nightly-workflow-2026-11-20T01:00:00Z-manual-042');
    expect(workflowIdOf({ ...firing, epoch: 2 })).toBe('nightly-workflow-2026-11-20T01:00:00Z-restart-2');
  });

  it('fits into the 255 characters that Temporal on Postgres keeps, whatever becomes of the firing, or is refused', () => {
    const longest = (prefix: string, scheduleId = 'nightly') =>
      workflowIdOf({ ...firing, scheduleId, workflowId: prefix || undefined, kind: 'manual', epoch: 9_999 });
    expect([...longest('€'.repeat(210))]).toHaveLength(255);
    expect(Buffer.byteLength(longest('🕰'.repeat(210)))).toBeLessThan(1_000);
    expect(() => checkWorkflowIdLength('nightly', '🕰'.repeat(210))).not.toThrow();
    expect(() => checkWorkflowIdLength('nightly', 'x'.repeat(211))).toThrow(
      /^action.workflowId: is 'x+', which makes workflow IDs of up to 256 characters; .* Shorten it to 210 characters$/,
    );
    expect([...longest('', 'x'.repeat(201))]).toHaveLength(255);
    expect(() => checkWorkflowIdLength('x'.repeat(201), undefined)).not.toThrow();
    expect(() => checkWorkflowIdLength('x'.repeat(202), undefined)).toThrow(
      'scheduleId: makes workflow IDs of up to 256 characters; Temporal on Postgres or MySQL keeps 255. Give action.workflowId, with at most 210 characters',
    );
  });

  it('gives a start one request ID for ever, another for each key, epoch and installation', () => {
    const one = '5f2f7b4e-3f0a-4c0e-9a51-0c7f5f2d3a10';
    const other = '0b7e6f0c-7a44-4a4e-8c1e-1f9a3b5c7d20';
    const id = requestIdOf(one, firing, 0);
    // A change of this value would let a start that is in progress during an upgrade run twice.
    expect(id).toBe(requestIdOf(one, { ...firing }, 0));
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
    expect(
      new Set([
        id,
        requestIdOf(one, firing, 1),
        requestIdOf(other, firing, 0),
        requestIdOf(one, { ...firing, scheduleId: 'x' }, 0),
      ]).size,
    ).toBe(4);
  });
});

describe('transitions of a firing', () => {
  it('lead out of every state and into every other', () => {
    const states = Object.keys(TRANSITIONS).filter((state) => state !== 'absent');
    const reached = new Set(
      Object.values(TRANSITIONS)
        .flat()
        .filter((state) => state !== 'absent'),
    );
    expect([...reached].sort()).toEqual(states.sort());
  });

  it.each<[FiringState | 'absent', FiringState]>([
    ['linked', 'claimed'],
    ['closed', 'skipped'],
    ['absent', 'linked'],
    ['skipped', 'claimed'],
  ])('refuse %s → %s', (from, to) => {
    expect(() => transition(from, to)).toThrow(ImpossibleTransitionError);
  });
});
