import { describe, expect, it } from 'vitest';
import { durationMilliseconds, optionalMilliseconds, readShape } from '../../../core/definition/shape';
import { refusalBy } from '../../support/refusal';

const MINIMAL = {
  scheduleId: 'nightly',
  spec: {},
  action: { type: 'startWorkflow', workflowType: 'nightlyReport', taskQueue: 'reports' },
};

async function nightlyReport(): Promise<void> {}

/** The options of a minimal schedule, except one field. */
function options(path: string, value: unknown): unknown {
  const changed = structuredClone(MINIMAL) as Record<string, unknown>;
  const parents = path.split('.');
  const field = parents.pop()!;
  let target = changed;
  for (const parent of parents) {
    target[parent] ??= {};
    target = target[parent] as Record<string, unknown>;
  }
  target[field] = value;
  return changed;
}

const read = (path: string, value: unknown) => readShape(options(path, value) as never);

/** The message of the refusal, which starts with the path. */
const refusal = (parse: () => unknown) => refusalBy(parse).message;

const NAME = 'is not 1 to 1,000 bytes of text without control characters';
const ID = 'is not 1 to 255 bytes of text without control characters';
const NAMESPACE =
  'is not a namespace: 2 to 1,000 letters, digits, dots, dashes and underscores, the first a letter or digit';
const WORKFLOW = 'is neither a workflow type nor a named workflow function';
const DURATION = "is not a duration; use milliseconds or a text such as '90 minutes'";
const LIMIT = 'is not a whole number from 0, or Number.POSITIVE_INFINITY for no limit';
const KEY = 'has a key that cannot be stored';
const NUL = 'a\u0000b';
const HALF = 'a\ud800';
const LARGEST = 2 ** 31 - 1;

it('a schedule is returned as it was given, with the function of its workflow', () => {
  const given = { ...MINIMAL, action: { ...MINIMAL.action, workflowType: nightlyReport } };
  expect(readShape(given as never)).toBe(given);
});

describe('a field takes each value up to its limits', () => {
  it.each<[string, ...unknown[]]>([
    ['scheduleId', 'x', 'x'.repeat(255), '€'.repeat(85), '...', ' ', 'a/b'],
    ['namespace', 'ab', 'x'.repeat(1_000), 'a.b', 'a-b', 'a_b', '0a', 'Z.-_', 'A9'],
    ['action.workflowType', 'x', ' ', 'x'.repeat(1_000), '€'.repeat(333)],
    ['action.taskQueue', 'x', ' ', 'x'.repeat(1_000)],
    ['action.workflowId', 'x', 'x'.repeat(1_000)],
    ['action.args', [], [undefined, null, 5], { payloads: [] }],
    ['action.memo', {}, { team: 'billing', ' ': null }],
    ['action.retry', {}],
    ['action.retry.backoffCoefficient', 0, 1, 1.5],
    ['action.retry.maximumAttempts', 0, 1, LARGEST, Number.POSITIVE_INFINITY],
    ['action.retry.nonRetryableErrorTypes', [], ['', 'Bad']],
    ['action.priority', {}],
    ['action.priority.priorityKey', 0, LARGEST],
    ['action.priority.fairnessKey', '', 'x'.repeat(64), '€'.repeat(21)],
    ['action.priority.fairnessWeight', 0, 0.5],
    ['policies.overlap', 'SKIP', 'BUFFER_ONE', 'BUFFER_ALL', 'CANCEL_OTHER', 'TERMINATE_OTHER', 'ALLOW_ALL'],
    ['policies.catchupLimit', 0, 1, Number.POSITIVE_INFINITY],
    ['policies.onUncertain', 'SKIP', 'START'],
    ['policies.preStart', true, false, '1 second', 1_000],
    ['policies.maxConcurrent', 1, LARGEST],
    ['policies.parkedHolds', true, false],
    ['state.remainingActions', 0, LARGEST],
    ['state.backfill', [], [{ start: 1, end: 2 }]],
    ['memo', {}, { team: 'billing' }],
  ])('%s', (path, ...values) => {
    for (const value of values) expect(() => read(path, value), String(value)).not.toThrow();
  });

  it.each([
    'completed',
    'completedAt',
    'completedBy',
    'pausedAt',
    'pausedBy',
    'pausedUntil',
    'specError',
    'setAsideAt',
    'shadow',
  ])('state.%s, which describe adds, whatever it is', (field) => {
    for (const value of [null, 'x', {}]) expect(() => read(`state.${field}`, value)).not.toThrow();
  });
});

describe('a field is refused with the reason', () => {
  it.each<[path: string, problem: string, ...values: unknown[]]>([
    ['scheduleId', ID, '', 'x'.repeat(256), '€'.repeat(86), 'a\nb', 'a\u007f', HALF],
    ['scheduleId', 'means a folder in a URL', '.', '..'],
    ['namespace', NAMESPACE, 'x', 'x'.repeat(1_001), ' ab', 'ab ', '.ab', '-ab', '_ab', 'a/b', 'a b', 'äb', 'ab\n'],
    ['action.workflowType', NAME, 'x'.repeat(1_001), '€'.repeat(334), 'a\nb', NUL, HALF],
    ['action.workflowType', WORKFLOW, 5, true, null, {}, { name: 'nightlyReport' }, () => {}],
    ['action.taskQueue', NAME, 'x'.repeat(1_001), '€'.repeat(334), 'a\nb', NUL, HALF],
    ['action.workflowId', NAME, 'x'.repeat(1_001), '€'.repeat(334), 'a\nb', NUL, HALF],
    ['action.args', 'is neither a list of arguments nor { payloads: [{ metadata: { encoding, … }', {}, 'x', 5, null],
    ['action.memo', KEY, { '': 1 }, { [NUL]: 1 }, { [HALF]: 1 }, { right: 1, [HALF]: 1 }, { [HALF]: 1, right: 1 }],
    ['memo', KEY, { '': 1 }, { right: 1, [NUL]: 1 }],
    ['action.staticSummary', 'has characters that cannot be stored', NUL, HALF],
    ['action.softTimeout', DURATION, null, {}, true, ['1 minute'], Number.NaN, Number.POSITIVE_INFINITY],
    ['action.workflowRunTimeout', DURATION, null],
    ['action.retry.initialInterval', DURATION, {}],
    ['action.retry.backoffCoefficient', 'is not a number from 1', '2', null, Number.NaN, Number.POSITIVE_INFINITY],
    ['action.retry.maximumAttempts', LIMIT, '3', null, {}, Number.NaN, Number.NEGATIVE_INFINITY],
    ['action.priority.fairnessKey', 'is longer than 64 bytes', 'x'.repeat(65), '€'.repeat(22)],
    ['action.priority.fairnessKey', 'has characters that cannot be stored', NUL],
    ['policies.catchupLimit', LIMIT, -1, 1.5, '1', null, Number.NaN, Number.NEGATIVE_INFINITY],
    ['policies.preStart', 'is neither true, false nor a duration', null, {}],
    ['policies.overlap', '"SKIPP" is none of SKIP, BUFFER_ONE, BUFFER_ALL', 'SKIPP'],
    ['policies.onUncertain', '"ASK" is none of SKIP, START', 'ASK'],
    ['action.type', '"startActivity" is none of startWorkflow', 'startActivity'],
    ['action.taskQueue', 'is undefined: leave the option out, or give a value', undefined],
    ['tenant', 'is undefined: leave the option out, or give a value', undefined],
  ])('%s: %s', (path, problem, ...values) => {
    for (const value of values) {
      const message = refusal(() => read(path, value));
      expect(message, String(value)).toContain(`${path}: ${problem}`);
    }
  });

  it.each(['scheduleId', 'spec', 'action'])('%s, since it is missing', (field) => {
    const { [field]: _, ...rest } = MINIMAL as Record<string, unknown>;
    expect(refusal(() => readShape(rest as never))).toBe(`${field}: is missing`);
  });

  it('options: the schedule is no object', () => {
    expect(refusal(() => readShape('nightly' as never))).toBe('options: "nightly" is not an object of options');
  });

  it('the first of several', () => {
    const several = { ...MINIMAL, scheduleId: '', action: { ...MINIMAL.action, taskQueue: '' } };
    expect(refusal(() => readShape(several as never))).toMatch(/^scheduleId: /);
  });
});

describe('a duration', () => {
  const LONGEST = 100 * 365.25 * 24 * 60 * 60 * 1_000;

  it.each([
    [1, 1],
    [0.5, 0.5],
    ['90 minutes', 5_400_000],
    ['1ms', 1],
    [LONGEST, LONGEST],
    ['100 years', LONGEST],
  ])('of %j has %d milliseconds', (value, milliseconds) => {
    expect(durationMilliseconds('action.softTimeout', value)).toBe(milliseconds);
    expect(optionalMilliseconds('action.softTimeout', value)).toBe(milliseconds);
  });

  it.each([0, -1, '0', '-5 minutes', 'soon', '', Number.NaN, Number.POSITIVE_INFINITY, 'x'.repeat(101)])(
    'is not %j',
    (value) => {
      const problem = `'${value}' is not a duration; use milliseconds or a text such as '90 minutes'`;
      expect(refusal(() => durationMilliseconds('action.softTimeout', value))).toBe(`action.softTimeout: ${problem}`);
    },
  );

  it.each([LONGEST + 1, '101 years'])('of %j is refused: it is longer than 100 years', (value) => {
    const problem = `policies.catchupWindow: '${value}' is longer than 100 years`;
    expect(refusal(() => optionalMilliseconds('policies.catchupWindow', value))).toBe(problem);
  });

  it('may be left out where it is optional', () => {
    expect(optionalMilliseconds('action.softTimeout', undefined)).toBeUndefined();
  });
});
