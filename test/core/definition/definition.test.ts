import { describe, expect, it } from 'vitest';
import { parseScheduleOptions } from '../../../core/definition/parse';
import { InvalidScheduleError } from '../../../core/errors';
import type { ScheduleOptions } from '../../../core/schedule/options';
import { OVERLAP_POLICIES } from '../../../core/schedule/policies';

async function nightlyReport(_region: string): Promise<void> {}

const valid = {
  scheduleId: 'nightly',
  spec: { cron: '0 2 * * *', timezone: 'Europe/Berlin' },
  action: { type: 'startWorkflow', workflowType: nightlyReport, taskQueue: 'reports', args: ['emea'] },
} satisfies ScheduleOptions;

function changed(path: string, value: unknown): ScheduleOptions {
  const options = structuredClone({ ...valid, action: { ...valid.action, workflowType: 'nightlyReport' } }) as never;
  const keys = path.split('.');
  let target: Record<string, unknown> = options;
  for (const key of keys.slice(0, -1)) {
    target[key] ??= {};
    target = target[key] as Record<string, unknown>;
  }
  target[keys.at(-1)!] = value;
  return options;
}

describe('the options of a schedule', () => {
  it('are stored with every default in force', () => {
    expect(parseScheduleOptions(valid, 'default')).toMatchObject({
      scheduleId: 'nightly',
      definition: {
        namespace: 'default',
        spec: valid.spec,
        action: { workflowType: 'nightlyReport', taskQueue: 'reports' },
        policies: {
          overlap: 'SKIP',
          catchupWindow: 31_557_600_000,
          catchupLimit: 100,
          pauseOnFailure: false,
          onUncertain: 'SKIP',
          preStart: true,
          maxConcurrent: null,
        },
      },
      args: ['emea'],
      paused: false,
    });
  });

  it.each(OVERLAP_POLICIES)('take the overlap policy %s', (overlap) => {
    const { definition } = parseScheduleOptions(changed('policies.overlap', overlap), 'default');
    expect(definition.policies.overlap).toBe(overlap);
  });

  it('take every policy that the claim decides by', () => {
    const policies = { pauseOnFailure: true, maxConcurrent: 2 };
    const parsed = parseScheduleOptions(
      { ...changed('policies', policies), state: { remainingActions: 3 } },
      'default',
    );
    expect(parsed.definition.policies).toMatchObject(policies);
    expect(parsed.remainingActions).toBe(3);
    const { definition } = parseScheduleOptions(changed('action.softTimeout', '5 minutes'), 'default');
    expect(definition.action.softTimeout).toBe(300_000);
  });

  it('take durations as Temporal does, in milliseconds or as text', () => {
    const { definition } = parseScheduleOptions(changed('policies.catchupWindow', '90 minutes'), 'default');
    expect(definition.policies.catchupWindow).toBe(5_400_000);
    expect(
      parseScheduleOptions(changed('action.workflowRunTimeout', 60_000), 'x').definition.action.workflowRunTimeout,
    ).toBe(60_000);
  });

  it.each<[string, unknown, string, RegExp]>([
    ['scheduleId', '', 'scheduleId', /1 to 255 bytes/],
    ['scheduleId', 'x'.repeat(256), 'scheduleId', /1 to 255 bytes/],
    ['scheduleId', 'a\u0000b', 'scheduleId', /control characters/],
    ['spec.cron', '* * * *', 'spec.cron', /./],
    ['spec.timezone', 'Mars/Olympus', 'spec.timezone', /./],
    ['action.type', 'startActivity', 'action.type', /startWorkflow/],
    ['action.taskQueue', '', 'action.taskQueue', /./],
    ['action.taskQueue', 'x'.repeat(1001), 'action.taskQueue', /1,000 bytes/],
    ['action.workflowType', 'a\ud800', 'action.workflowType', /./],
    ['action.workflowRunTimeout', 1e300, 'action.workflowRunTimeout', /100 years/],
    ['namespace', 'a b', 'namespace', /not a namespace/],
    ['state.note', 'a\u0000', 'state.note', /cannot be stored/],
    ['tenant', '\ud800', 'tenant', /cannot be stored/],
    ['spec.jitter', -1, 'spec.jitter', /negative/],
    ['action.retry', { initialInterval: 'often' }, 'action.retry.initialInterval', /not a duration/],
    [
      'action.retry',
      { initialInterval: '2s', maximumInterval: '1s' },
      'action.retry.maximumInterval',
      /less than initialInterval/,
    ],
    ['action.retry', { maximumAttempts: 1.5 }, 'action.retry.maximumAttempts', /./],
    ['action.workflowId', '€'.repeat(334), 'action.workflowId', /1,000 bytes/],
    ['action.taskQueu', 'x', 'action.taskQueu', /did you mean taskQueue/],
    ['action.workflowRunTimeout', 'soon', 'action.workflowRunTimeout', /not a duration/],
    ['policies.overlap', 'SKIPP', 'policies.overlap', /SKIP/],
    ['policies.catchupWindow', '5s', 'policies.catchupWindow', /at least 10 seconds/],
    ['policies.catchupLimit', -1, 'policies.catchupLimit', /whole number from 0/],
    ['policies.catchupLimit', 1.5, 'policies.catchupLimit', /whole number from 0/],
    ['policies.maxConcurrent', 0, 'policies.maxConcurrent', /./],
    ['policies.pauseOnFailure', 'yes', 'policies.pauseOnFailure', /./],
    ['action.softTimeout', -1, 'action.softTimeout', /not a duration/],
    ['state.remainingActions', -1, 'state.remainingActions', /./],
    ['state.remainingActions', 1.5, 'state.remainingActions', /./],
    ['state.remainingActions', 2 ** 31, 'state.remainingActions', /./],
    ['polices', {}, 'polices', /did you mean policies/],
  ])('with a bad %s (%j) are refused by its path', (field, value, path, problem) => {
    const attempt = () => parseScheduleOptions(changed(field, value), 'default');
    expect(attempt).toThrow(InvalidScheduleError);
    expect(attempt).toThrow(
      expect.objectContaining({ path: expect.stringContaining(path), problem: expect.stringMatching(problem) }),
    );
  });
});
