import { describe, expect, it } from 'vitest';
import { describeSteps, type HistoryEvent, type Step } from '../../../core/letters/reset-point';
import { activity, child, failed, failedBy, pointOf, started, task } from './history';

const TASK = { workflowTaskCompletedEventId: 2 };

/** The steps that run again with a workflow that failed by itself in its first task. */
async function stepsOf(...events: HistoryEvent[]) {
  return (await pointOf(started, task, ...events, failed()))?.siblings;
}

describe('a step that runs again', () => {
  it.each<[string, HistoryEvent, Step]>([
    ['an activity', activity('pack', 2), { kind: 'activity', name: 'pack', id: 'pack' }],
    ['a child workflow', child('ship', 2), { kind: 'childWorkflow', name: 'ship', id: 'ship-1' }],
    [
      'a signal to another workflow',
      { signalExternalWorkflowExecutionInitiatedEventAttributes: { ...TASK, signalName: 'packed' } },
      { kind: 'signal', name: 'packed' },
    ],
    [
      'a cancellation of another workflow',
      {
        requestCancelExternalWorkflowExecutionInitiatedEventAttributes: {
          ...TASK,
          workflowExecution: { workflowId: 'order-1' },
        },
      },
      { kind: 'cancel', name: 'order-1' },
    ],
    [
      'a Nexus operation',
      { nexusOperationScheduledEventAttributes: { ...TASK, operation: 'charge' } },
      { kind: 'nexusOperation', name: 'charge' },
    ],
  ])('is named with its kind: %s', async (_, event, step) => {
    expect(await stepsOf(event)).toEqual([step]);
  });

  it.each<[Step['kind'], HistoryEvent]>([
    ['activity', { activityTaskScheduledEventAttributes: { ...TASK, activityType: null } }],
    ['childWorkflow', { startChildWorkflowExecutionInitiatedEventAttributes: { ...TASK, workflowType: null } }],
    ['signal', { signalExternalWorkflowExecutionInitiatedEventAttributes: { ...TASK, signalName: null } }],
    [
      'cancel',
      { requestCancelExternalWorkflowExecutionInitiatedEventAttributes: { ...TASK, workflowExecution: null } },
    ],
    ['nexusOperation', { nexusOperationScheduledEventAttributes: { ...TASK, operation: null } }],
  ])('is `unknown` if its event does not name it: %s', async (kind, event) => {
    expect(await stepsOf(event)).toEqual([{ kind, name: 'unknown' }]);
  });

  it('is a child workflow that failed itself: all of it begins again, which needs force', async () => {
    const end = failedBy({ cause: { childWorkflowExecutionFailureInfo: { initiatedEventId: 3 } } });
    const ship = { kind: 'childWorkflow', name: 'ship', id: 'ship-1' };
    const point = await pointOf(started, task, child('ship', 2), task, end);
    expect(point).toEqual({ eventId: 2, step: ship, siblings: [ship] });
  });

  it('is a Nexus operation that failed itself: all of it begins again, which needs force', async () => {
    const operation = { nexusOperationScheduledEventAttributes: { ...TASK, operation: 'charge' } };
    const end = failedBy({ cause: { nexusOperationExecutionFailureInfo: { scheduledEventId: 3 } } });
    const charge = { kind: 'nexusOperation', name: 'charge' };
    expect(await pointOf(started, task, operation, task, end)).toEqual({
      eventId: 2,
      step: charge,
      siblings: [charge],
    });
  });
});

describe('a local activity', () => {
  type Payloads = ({ data: Uint8Array | null } | string)[] | null;

  const marker = (markerName: string | null, ...lists: Payloads[]): HistoryEvent => {
    const payloadsOf = (list: Payloads) =>
      list?.map((one) => (typeof one === 'string' ? { data: Buffer.from(one) } : one)) ?? null;
    const details = Object.fromEntries(lists.map((list, index) => [`${index}`, { payloads: payloadsOf(list) }]));
    return { markerRecordedEventAttributes: { ...TASK, markerName, details } };
  };
  const CORE = 'core_local_activity';

  it.each([
    ['the SDKs on Rust', CORE, '{"seq":1,"attempt":1,"activity_type":"price"}'],
    ['the SDK for Go', 'LocalActivity', '{"ActivityID":"1","ActivityType":"price"}'],
    ['an SDK that sets spaces', CORE, '{ "activity_type" : "price" }'],
  ])('is named by the type in its marker, as written by %s', async (_, markerName, data) => {
    expect(await stepsOf(marker(markerName, [data]))).toEqual([{ kind: 'localActivity', name: 'price' }]);
  });

  it('is named by whichever part of its marker has the type', async () => {
    const parts = [null, [{ data: null }, '"4711"'], ['{"seq":1}', '{"activity_type":"price"}']];
    expect(await stepsOf(marker(CORE, ...parts))).toEqual([{ kind: 'localActivity', name: 'price' }]);
  });

  it.each<[string, HistoryEvent]>([
    ['has no details', { markerRecordedEventAttributes: { ...TASK, markerName: CORE } }],
    ['has empty details', marker(CORE)],
    ['has details without contents', marker(CORE, null, [], [{ data: null }])],
    ['has other details', marker(CORE, ['{"seq":1}'])],
    ['has an encrypted text', marker(CORE, ['gAAAAABl'])],
  ])('is called `local activity` if its marker %s', async (_, event) => {
    const steps = await stepsOf(event, event);
    expect(steps).toEqual(Array(2).fill({ kind: 'localActivity', name: 'local activity' }));
    expect(describeSteps(steps!)).toBe('a local activity (2 times)');
  });

  it('of Escapement’s own, which parks a step, is not named: it may be repeated', async () => {
    const [own, price] = ['escapementBuryStep', 'price'].map((name) => marker(CORE, [`{"activity_type":"${name}"}`]));
    expect(await stepsOf(own!, price!)).toEqual([{ kind: 'localActivity', name: 'price' }]);
  });

  it.each(['core_patch', 'Version', 'SideEffect', '', null])(
    'is not what a marker of another kind records: %s',
    async (markerName) => {
      expect(await stepsOf(marker(markerName, ['{"activity_type":"price"}']))).toEqual([]);
    },
  );
});

describe('steps in words', () => {
  const pack: Step = { kind: 'activity', name: 'pack' };
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, index): Step => ({ kind: 'signal', name: `s${index + 1}` }));

  it.each<[Step['kind'], string]>([
    ['activity', 'activity pack'],
    ['localActivity', 'local activity pack'],
    ['childWorkflow', 'child workflow pack'],
    ['signal', 'signal pack'],
    ['cancel', 'cancel of pack'],
    ['nexusOperation', 'operation pack'],
  ])('have their kind before their name: %s', (kind, text) => {
    expect(describeSteps([{ kind, name: 'pack' }])).toBe(text);
  });

  it('are named once each, in the order of their first, with how many there are', () => {
    const ship: Step = { kind: 'childWorkflow', name: 'ship' };
    expect(describeSteps([pack, ship, pack, pack])).toBe('activity pack (3 times), child workflow ship');
  });

  it('are counted by their name, whatever their IDs, but apart for each kind', () => {
    const steps: Step[] = [
      { ...pack, id: '1' },
      { ...pack, id: '2' },
      { kind: 'signal', name: 'pack' },
    ];
    expect(describeSteps(steps)).toBe('activity pack (2 times), signal pack');
  });

  it('are nothing if there are none', () => {
    expect(describeSteps([])).toBe('');
  });

  const TEN =
    'signal s1, signal s2, signal s3, signal s4, signal s5, signal s6, signal s7, signal s8, signal s9, signal s10';

  it.each([
    ['are all named up to ten', 10, TEN],
    ['leave out the eleventh name', 11, `${TEN}, and 1 more`],
    ['leave out all from the eleventh name on', 13, `${TEN}, and 3 more`],
  ])('%s', (_, count, text) => {
    expect(describeSteps(numbered(count))).toBe(text);
  });

  it('leave out names, not repetitions', () => {
    expect(describeSteps([...numbered(10), ...numbered(10)])).toContain('signal s10 (2 times)');
    expect(describeSteps([...numbered(10), ...numbered(10)])).not.toContain('more');
  });
});
