import { v5 as uuidv5 } from 'uuid';
import { describe, expect, it } from 'vitest';
import {
  buryRequestIdOf,
  cancelRequestIdOf,
  checkWorkflowIdLength,
  requestIdOf,
  workflowIdOf,
  workflowIdPrefix,
} from '../../core/identity';

const INSTALLATION = '5f2f7b4e-3f0a-4c0e-9a51-0c7f5f2d3a10';
const OTHER_INSTALLATION = '0b7e6f0c-7a44-4a4e-8c1e-1f9a3b5c7d20';
/** A UUID of version 5, as it is computed from a name. */
const COMPUTED = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

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
      /^action.workflowId: is 'x+', which makes workflow IDs of up to 256 characters; .* Shorten it by 1 character$/,
    );
    expect([...longest('', 'x'.repeat(201))]).toHaveLength(255);
    expect(() => checkWorkflowIdLength('x'.repeat(201), undefined)).not.toThrow();
    expect(() => checkWorkflowIdLength('x'.repeat(202), undefined)).toThrow(
      'scheduleId: makes workflow IDs of up to 256 characters; Temporal on Postgres or MySQL keeps 255. Give action.workflowId, with at most 210 characters',
    );
  });

  it('gives a start one request ID for ever, another for each key, epoch and installation', () => {
    const id = requestIdOf(INSTALLATION, firing, 0);
    expect(id).toBe(requestIdOf(INSTALLATION, { ...firing }, 0));
    expect(id).toMatch(COMPUTED);
    expect(
      new Set([
        id,
        requestIdOf(INSTALLATION, firing, 1),
        requestIdOf(OTHER_INSTALLATION, firing, 0),
        requestIdOf(INSTALLATION, { ...firing, scheduleId: 'x' }, 0),
      ]).size,
    ).toBe(4);
  });
});

describe('the request ID of a cancellation', () => {
  const id = cancelRequestIdOf(INSTALLATION, firing, 0);

  it('is the same each time, so that repeated requests cancel once', () => {
    expect(cancelRequestIdOf(INSTALLATION, { ...firing }, 0)).toBe(id);
    expect(id).toMatch(COMPUTED);
  });

  it.each([
    ['schedule', cancelRequestIdOf(INSTALLATION, { ...firing, scheduleId: 'hourly' }, 0)],
    ['time', cancelRequestIdOf(INSTALLATION, { ...firing, scheduledTime: new Date('2026-11-20T01:00:00.001Z') }, 0)],
    ['epoch', cancelRequestIdOf(INSTALLATION, firing, 1)],
    ['installation', cancelRequestIdOf(OTHER_INSTALLATION, firing, 0)],
  ])('is another for another %s', (_, other) => {
    expect(other).not.toBe(id);
    expect(other).toMatch(COMPUTED);
  });
});

describe('the request ID of a question for lost letters', () => {
  const id = buryRequestIdOf(INSTALLATION, ['incarnation', 'since', 'run', 'again']);

  it('is the same in every trigger, so that a run is asked once', () => {
    expect(buryRequestIdOf(INSTALLATION, ['incarnation', 'since', 'run', 'again'])).toBe(id);
    expect(id).toMatch(COMPUTED);
  });

  it.each([
    ['round', buryRequestIdOf(INSTALLATION, ['incarnation', 'since', 'run', 'later'])],
    ['cut of the same text', buryRequestIdOf(INSTALLATION, ['incarnation', 'sincerun', '', 'again'])],
    ['installation', buryRequestIdOf(OTHER_INSTALLATION, ['incarnation', 'since', 'run', 'again'])],
  ])('is another for another %s', (_, other) => {
    expect(other).not.toBe(id);
    expect(other).toMatch(COMPUTED);
  });
});

// During an upgrade, triggers of two versions send the same requests: another value would let a start run twice.
it.each([
  ['a start', requestIdOf(INSTALLATION, firing, 2), '["nightly","2026-11-20T01:00:00.000Z",2]'],
  ['a cancellation', cancelRequestIdOf(INSTALLATION, firing, 2), '["cancel","nightly","2026-11-20T01:00:00.000Z",2]'],
  ['a question for letters', buryRequestIdOf(INSTALLATION, ['a', 'b']), '["bury","a","b"]'],
])('the request ID of %s is computed from the same text in all versions', (_, id, text) => {
  expect(id).toBe(uuidv5(text, INSTALLATION));
});

describe('the prefix of workflow IDs', () => {
  it.each<[what: string, tenant: string, given: string | undefined, stored: string | undefined]>([
    ['of a tenant’s schedule ends with the tenant', 'acme', 'invoice', 'invoice[acme]'],
    ['has the tenant once if it is given as it was stored', 'acme', 'invoice[acme]', 'invoice[acme]'],
    ['gets its own tenant after another’s name', 'acme', 'invoice[other]', 'invoice[other][acme]'],
    ['gets the tenant at its end, though it begins with it', 'acme', '[acme]invoice', '[acme]invoice[acme]'],
    ['cannot end early by a bracket in the tenant’s name', 'a]b[', 'invoice', 'invoice[a%5Db%5B]'],
    ['stays without a tenant, as in Temporal’s own schedules', '', 'invoice', 'invoice'],
    ['stays the default, which has the schedule’s ID', 'acme', 'nightly-workflow', 'nightly-workflow'],
    ['gets the tenant if it is another schedule’s default', 'acme', 'hourly-workflow', 'hourly-workflow[acme]'],
    ['stays left out, with a tenant', 'acme', undefined, undefined],
    ['stays left out, without a tenant', '', undefined, undefined],
  ])('%s', (_, tenant, given, stored) => {
    expect(workflowIdPrefix('nightly', tenant, given)).toBe(stored);
  });
});
