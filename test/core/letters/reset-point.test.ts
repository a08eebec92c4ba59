import { describe, expect, it } from 'vitest';
import { describeSteps, findResetPoint, type HistoryEvent, parkedEventOf } from '../../../core/letters/reset-point';

/** A history as it is written, read backwards. */
async function pointOf(...events: HistoryEvent[]) {
  async function* backwards() {
    yield* events.map((event, index) => ({ eventId: index + 1, ...event })).reverse();
  }
  return findResetPoint(backwards());
}

const started: HistoryEvent = {};
const task: HistoryEvent = { workflowTaskCompletedEventAttributes: {} };
const other: HistoryEvent = {};
const activity = (name: string, taskId: number): HistoryEvent => ({
  activityTaskScheduledEventAttributes: {
    activityId: name,
    activityType: { name },
    workflowTaskCompletedEventId: taskId,
  },
});
const ended = (scheduledEventId: number, how: 'Completed' | 'Failed' | 'TimedOut' | 'Canceled' = 'Completed') =>
  ({ [`activityTask${how}EventAttributes`]: { scheduledEventId } }) as HistoryEvent;
const failed = (taskId: number, scheduledEventId?: number): HistoryEvent => ({
  workflowExecutionFailedEventAttributes: {
    workflowTaskCompletedEventId: taskId,
    failure: scheduledEventId ? { cause: { activityFailureInfo: { scheduledEventId } } } : {},
  },
});

describe('the reset point of a failed run', () => {
  it('is the workflow task that scheduled the failed activity, and keeps what came before', async () => {
    const point = await pointOf(
      started,
      task,
      activity('pack', 2),
      ended(3),
      task,
      activity('charge', 5),
      other,
      task,
      failed(8, 6),
    );
    expect(point).toEqual({ eventId: 5, step: { kind: 'activity', name: 'charge', id: 'charge' }, siblings: [] });
  });

  it('names what was scheduled beside the failed step, before and after it', async () => {
    const point = await pointOf(
      ...[started, task, activity('pack', 2), activity('charge', 2), activity('mail', 2), task],
      ...[activity('refund', 6), task, failed(8, 4)],
    );
    expect(point?.eventId).toBe(2);
    expect(point?.siblings.map(({ name }) => name)).toEqual(['pack', 'mail', 'refund']);
  });

  it('names an activity of an earlier task that ended only after the point, or not at all: it runs again', async () => {
    const point = await pointOf(
      ...[started, task, activity('pack', 2), activity('charge', 2), activity('watch', 2), ended(3), task],
      ...[activity('ship', 7), ended(4), ended(8), task, failed(11, 8)],
    );
    expect(point).toMatchObject({ eventId: 7, unended: [4, 5] });
    expect(point?.siblings.map(({ name }) => name)).toEqual(['charge', 'watch']);
  });

  it.each(['Completed', 'Failed', 'TimedOut', 'Canceled'] as const)(
    'names no activity that had ended before the point, however it ended: %s',
    async (how) => {
      const before = [started, task, activity('pack', 2), ended(3, how), task];
      const point = await pointOf(...before, activity('charge', 5), task, failed(7, 6));
      expect(point).toMatchObject({ eventId: 5, siblings: [] });
    },
  );

  it('is the task that failed the workflow, where no step did', async () => {
    expect(await pointOf(started, task, activity('pack', 2), ended(3), task, failed(5))).toEqual({
      eventId: 5,
      step: undefined,
      siblings: [],
    });
  });

  it('is that task too where the failure is of a step of another run', async () => {
    expect(await pointOf(started, task, activity('pack', 2), other, task, failed(5, 4))).toMatchObject({ eventId: 5 });
    expect(await pointOf(started, task, activity('pack', 2), task, failed(4, 99))).toMatchObject({ eventId: 4 });
  });

  it('is the step that started a child, and not what failed inside of it', async () => {
    const point = await pointOf(
      ...[started, task, activity('pack', 2), ended(3), task],
      {
        startChildWorkflowExecutionInitiatedEventAttributes: {
          workflowId: 'child',
          workflowType: { name: 'ship' },
          workflowTaskCompletedEventId: 5,
        },
      },
      task,
      {
        workflowExecutionFailedEventAttributes: {
          workflowTaskCompletedEventId: 7,
          failure: {
            cause: {
              childWorkflowExecutionFailureInfo: { initiatedEventId: 6 },
              cause: { activityFailureInfo: { scheduledEventId: 3 } },
            },
          },
        },
      },
    );
    expect(point).toEqual({
      eventId: 5,
      step: { kind: 'childWorkflow', name: 'ship', id: 'child' },
      siblings: [{ kind: 'childWorkflow', name: 'ship', id: 'child' }],
    });
  });

  it.each([
    ['was ended with the run', {}, [], 2, ['pack', 'ship', 'charge']],
    ['had ended before', {}, [{ childWorkflowExecutionCompletedEventAttributes: { initiatedEventId: 4 } }], 6, []],
    ['had not begun', {}, [{ startChildWorkflowExecutionFailedEventAttributes: { initiatedEventId: 4 } }], 6, []],
    ['goes on by itself', { parentClosePolicy: 2 }, [], 6, []],
  ])(
    'is the task of a child that %s, or stays after it',
    async (_, policy, ends: HistoryEvent[], eventId, siblings) => {
      const child = { workflowId: 'child', workflowType: { name: 'ship' }, workflowTaskCompletedEventId: 2, ...policy };
      const point = await pointOf(
        ...[
          started,
          task,
          activity('pack', 2),
          { startChildWorkflowExecutionInitiatedEventAttributes: child },
          ended(3),
        ],
        ...[task, activity('charge', 6), ...ends, task, failed(8, 7)],
      );
      expect(point).toMatchObject({ eventId, step: { name: 'charge' } });
      expect(point?.siblings.map(({ name }) => name)).toEqual(siblings.filter((name) => name !== 'charge'));
    },
  );

  it('names a local activity of the failing task, which runs again', async () => {
    const marker = {
      markerRecordedEventAttributes: { markerName: 'core_local_activity', workflowTaskCompletedEventId: 2 },
    };
    const point = await pointOf(started, task, marker, failed(2));
    expect(describeSteps(point!.siblings)).toBe('a local activity');
  });

  it('is the last workflow task of a run whose time ran out', async () => {
    const point = await pointOf(started, task, activity('pack', 2), ended(3), task, activity('charge', 5), {
      workflowExecutionTimedOutEventAttributes: {},
    });
    expect(point).toMatchObject({ eventId: 5, siblings: [{ name: 'charge' }] });
  });

  it('is not there where nothing failed, or no task was completed', async () => {
    expect(await pointOf(started, task, other)).toBeUndefined();
    expect(await pointOf(started, { workflowExecutionTimedOutEventAttributes: {} })).toBeUndefined();
  });
});

it('steps are named once each, with how many there are', () => {
  const steps = [...Array(3).fill({ kind: 'activity', name: 'pack' }), { kind: 'childWorkflow', name: 'ship' }];
  expect(describeSteps(steps)).toBe('activity pack (3 times), child workflow ship');
});

describe('what runs again', () => {
  const marker = (activityType: string | undefined, taskId: number): HistoryEvent => {
    const data = Buffer.from(JSON.stringify({ seq: 1, attempt: 1, activity_type: activityType }));
    return {
      markerRecordedEventAttributes: {
        ...{ markerName: 'core_local_activity', workflowTaskCompletedEventId: taskId },
        details: { data: { payloads: [{ data }] } },
      },
    };
  };

  it('is not our own note of a parked step; a local activity of the user’s is named', async () => {
    const point = await pointOf(
      ...[
        started,
        task,
        activity('charge', 2),
        task,
        marker('escapementBuryStep', 4),
        marker('price', 4),
        failed(4, 3),
      ],
    );
    expect(point?.siblings).toEqual([{ kind: 'localActivity', name: 'price' }]);
    expect(describeSteps(point!.siblings)).toBe('local activity price');
  });

  it('is all of the child workflow that failed, which needs force', async () => {
    const child: HistoryEvent = {
      startChildWorkflowExecutionInitiatedEventAttributes: {
        ...{ workflowId: 'ship-1', workflowType: { name: 'ship' }, workflowTaskCompletedEventId: 2 },
      },
    };
    const end: HistoryEvent = {
      workflowExecutionFailedEventAttributes: {
        workflowTaskCompletedEventId: 4,
        failure: { cause: { childWorkflowExecutionFailureInfo: { initiatedEventId: 3 } } },
      },
    };
    const ship = { kind: 'childWorkflow', name: 'ship', id: 'ship-1' };
    expect(await pointOf(started, task, child, task, end)).toEqual({ eventId: 2, step: ship, siblings: [ship] });
  });

  it('is all of the Nexus operation that failed, which needs force', async () => {
    const operation: HistoryEvent = {
      nexusOperationScheduledEventAttributes: { operation: 'charge', workflowTaskCompletedEventId: 2 },
    };
    const end: HistoryEvent = {
      workflowExecutionFailedEventAttributes: {
        workflowTaskCompletedEventId: 4,
        failure: { cause: { nexusOperationExecutionFailureInfo: { scheduledEventId: 3 } } },
      },
    };
    const charge = { kind: 'nexusOperation', name: 'charge' };
    expect(await pointOf(started, task, operation, task, end)).toMatchObject({ step: charge, siblings: [charge] });
  });

  it('begins at the step that was parked when the run was ended, or failed at a later one', async () => {
    const events = [started, task, activity('charge', 2), task, activity('mail', 4), task];
    async function* backwards(last: HistoryEvent) {
      yield* [...events, last].map((event, index) => ({ eventId: index + 1, ...event })).reverse();
    }
    const charge = { kind: 'activity', name: 'charge', id: 'charge' };
    expect(await findResetPoint(backwards({}), 3)).toMatchObject({ eventId: 2, step: charge });
    expect(await findResetPoint(backwards(failed(6, 5)), 3)).toMatchObject({ eventId: 2, step: charge });
    expect(await findResetPoint(backwards({}))).toBeUndefined();
  });
});

it('the step of a letter is in the run that parked it, or in the one to which a resume has carried it since', () => {
  const step = { runId: 'run', eventId: 5, burial: 1 };
  expect(parkedEventOf(step, 'run')).toBe(5);
  expect(parkedEventOf({ ...step, waitsIn: 'next' }, 'next')).toBe(5);
  expect(parkedEventOf({ ...step, waitsIn: 'next' }, 'run')).toBeUndefined();
});
