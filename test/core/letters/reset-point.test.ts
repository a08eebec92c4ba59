import { describe, expect, it } from 'vitest';
import { type HistoryEvent, parkedEventOf } from '../../../core/letters/reset-point';
import {
  ACTIVITY_ENDS,
  activity,
  child,
  ended,
  failed,
  failedBy,
  other,
  pointOf,
  pointWithParked,
  started,
  task,
  timedOut,
} from './history';

const charge = { kind: 'activity', name: 'charge', id: 'charge' };

describe('the reset point of a failed run', () => {
  const packed = [started, task, activity('pack', 2), ended(3), task];

  it('is the workflow task that scheduled the failed activity, and keeps what came before', async () => {
    const point = await pointOf(...packed, activity('charge', 5), other, task, failed(6));
    expect(point).toEqual({ eventId: 5, step: charge, siblings: [] });
  });

  it('is an earlier task than the last one if that task scheduled the failed activity', async () => {
    const point = await pointOf(...packed, activity('charge', 5), other, task, other, task, failed(6));
    expect(point).toEqual({ eventId: 5, step: charge, siblings: [] });
  });

  it.each([
    ['is the activity’s own', { activityFailureInfo: { scheduledEventId: 6 } }],
    ['has the activity’s as its cause', { cause: { activityFailureInfo: { scheduledEventId: 6 } } }],
    ['has it as the cause of a cause', { cause: { cause: { activityFailureInfo: { scheduledEventId: 6 } } } }],
  ])('names the failed activity if the workflow’s failure %s', async (_, failure) => {
    const point = await pointOf(...packed, activity('charge', 5), task, failedBy(failure));
    expect(point).toMatchObject({ eventId: 5, step: charge });
  });

  it('is found in a history whose numbers are the long ones of protobuf', async () => {
    const long = (id: number) => ({ toString: () => `${id}` });
    const events: HistoryEvent[] = [
      {
        activityTaskScheduledEventAttributes: { activityType: { name: 'pack' }, workflowTaskCompletedEventId: long(2) },
      },
      { activityTaskCompletedEventAttributes: { scheduledEventId: long(3) } },
      task,
      {
        activityTaskScheduledEventAttributes: {
          activityType: { name: 'charge' },
          workflowTaskCompletedEventId: long(5),
        },
      },
      task,
      failedBy({ activityFailureInfo: { scheduledEventId: long(6) } }),
    ];
    const withIds = [started, task, ...events].map((event, index) => ({ ...event, eventId: long(index + 1) }));
    expect(await pointOf(...withIds)).toEqual({ eventId: 5, step: { kind: 'activity', name: 'charge' }, siblings: [] });
  });

  it('is the task that failed the workflow if no step did', async () => {
    expect(await pointOf(...packed, failed())).toEqual({ eventId: 5, step: undefined, siblings: [] });
  });

  it('is that task too if the failure is of a step of another run', async () => {
    expect(await pointOf(started, task, activity('pack', 2), other, task, failed(4))).toMatchObject({ eventId: 5 });
    expect(await pointOf(started, task, activity('pack', 2), task, failed(99))).toMatchObject({ eventId: 4 });
  });

  it('is that of the step that started a child, and not of what failed inside of it', async () => {
    const failure = {
      childWorkflowExecutionFailureInfo: { initiatedEventId: 6 },
      cause: { activityFailureInfo: { scheduledEventId: 3 } },
    };
    const point = await pointOf(...packed, child('ship', 5), task, failedBy({ cause: failure }));
    expect(point).toMatchObject({ eventId: 5, step: { kind: 'childWorkflow', name: 'ship', id: 'ship-1' } });
  });

  it('is not there if no workflow task was completed', async () => {
    expect(await pointOf(started, failed())).toBeUndefined();
    expect(await pointOf(started, timedOut)).toBeUndefined();
    expect(await pointOf()).toBeUndefined();
  });
});

describe('the reset point of a run whose local activity failed', () => {
  type Failure = Parameters<typeof failedBy>[0];
  const declined = { message: 'no money', stackTrace: 'at chargeCard', applicationFailureInfo: { type: 'Declined' } };
  const local = (workflowTaskCompletedEventId: number, failure: Failure = null): HistoryEvent => ({
    markerRecordedEventAttributes: { markerName: 'core_local_activity', workflowTaskCompletedEventId, failure },
  });
  const step = { kind: 'localActivity', name: 'local activity' };

  it.each<[string, Failure, Failure]>([
    ['passed on', declined, declined],
    ['a cause of the workflow’s', declined, { message: 'the order failed', cause: declined }],
    [
      'a timeout, in one that names no event',
      { message: 'late' },
      { activityFailureInfo: { scheduledEventId: 0 }, cause: { message: 'late' } },
    ],
  ])(
    'is the task that recorded its end, whose other steps alone are siblings, if its failure is %s',
    async (_, own, end) => {
      const before = [started, task, local(2, own)];
      expect(await pointOf(...before, failedBy(end))).toEqual({ eventId: 2, step, siblings: [] });
      const undone = [activity('refund', 2), ended(4), task];
      expect(await pointOf(...before, ...undone, failedBy(end))).toMatchObject({
        ...{ eventId: 2, step, siblings: [{ name: 'refund' }] },
      });
      expect(await pointOf(...before, local(2), failedBy(end))).toEqual({ eventId: 2, step, siblings: [step] });
    },
  );

  it('is the task of its last attempt', async () => {
    const point = await pointOf(started, task, local(2, declined), other, task, local(5, declined), failedBy(declined));
    expect(point).toEqual({ eventId: 5, step, siblings: [] });
  });

  it.each<[string, Failure]>([
    ['message', { ...declined, message: 'no card' }],
    ['stack trace', { ...declined, stackTrace: 'at refund' }],
    ['type', { ...declined, applicationFailureInfo: null }],
    ['unreadable text', { ...declined, encodedAttributes: {} }],
  ])('is the task that failed the workflow if the workflow’s failure has another %s', async (_, failure) => {
    const point = await pointOf(started, task, local(2, declined), other, task, local(5, declined), failedBy(failure));
    expect(point).toEqual({ eventId: 5, step: undefined, siblings: [step] });
  });
});

describe('the reset point of a run that did not fail', () => {
  it('is the last workflow task if its time ran out', async () => {
    const point = await pointOf(started, task, activity('pack', 2), ended(3), task, activity('charge', 5), timedOut);
    expect(point).toEqual({ eventId: 5, step: undefined, siblings: [charge] });
  });

  it('is the task of the step that was parked when its time ran out', async () => {
    const events = [started, task, activity('charge', 2), task, activity('mail', 4), ended(5), task, timedOut];
    expect(await pointWithParked(3, ...events)).toMatchObject({
      eventId: 2,
      step: charge,
      siblings: [{ name: 'mail' }],
    });
  });

  it('is not there if it neither failed nor timed out, and no step was parked', async () => {
    const events = [started, task, activity('charge', 2), task, other];
    expect(await pointOf(...events)).toBeUndefined();
    expect(await pointWithParked(3, ...events)).toEqual({ eventId: 2, step: charge, siblings: [] });
  });
});

it.each([
  ['the parked one', 3, 5, { eventId: 2, step: charge }],
  ['the failed one', 5, 3, { eventId: 2, step: charge }],
  ['both', 5, 5, { eventId: 4, step: { name: 'mail' } }],
])('a run begins again at the earlier of its parked and its failed step: %s', async (_, parked, failedAt, expected) => {
  const events = [started, task, activity('charge', 2), task, activity('mail', 4), task, failed(failedAt)];
  expect(await pointWithParked(parked, ...events)).toMatchObject(expected);
});

describe('what runs again', () => {
  it('is what was scheduled beside the failed step and after it, in that order', async () => {
    const point = await pointOf(
      ...[started, task, activity('pack', 2), activity('charge', 2), activity('mail', 2), task],
      ...[activity('refund', 6), task, failed(4)],
    );
    expect(point?.eventId).toBe(2);
    expect(point?.siblings.map(({ name }) => name)).toEqual(['pack', 'mail', 'refund']);
  });

  it('is an activity of an earlier task too that ended only after the point, or not at all', async () => {
    const point = await pointOf(
      ...[started, task, activity('pack', 2), activity('charge', 2), activity('watch', 2), ended(3), task],
      ...[activity('ship', 7), ended(4), ended(8), task, failed(8)],
    );
    expect(point).toMatchObject({ eventId: 7, unended: [4, 5] });
    expect(point?.siblings.map(({ name }) => name)).toEqual(['charge', 'watch']);
  });

  it.each(ACTIVITY_ENDS)('is no activity that had ended before the point: %s', async (how) => {
    const before = [started, task, activity('pack', 2), ended(3, how), task];
    const point = await pointOf(...before, activity('charge', 5), task, failed(6));
    expect(point).toEqual({ eventId: 5, step: charge, siblings: [] });
  });

  it.each(ACTIVITY_ENDS)('is an activity that ended right after the point: %s', async (how) => {
    const before = [started, task, activity('pack', 2), task];
    const point = await pointOf(...before, ended(3, how), activity('charge', 4), task, failed(6));
    expect(point).toMatchObject({ eventId: 4, siblings: [{ name: 'pack' }], unended: [3] });
  });
});

describe('a child workflow of an earlier task', () => {
  const pointBeside = (parentClosePolicy: number, ...ends: HistoryEvent[]) =>
    pointOf(
      ...[started, task, activity('pack', 2), child('ship', 2, parentClosePolicy), ended(3)],
      ...[task, activity('charge', 6), ...ends, task, failed(7)],
    );

  it.each([
    ['terminated', 1],
    ['asked to cancel', 3],
    ['ended by the server’s default', 0],
  ])('that was %s with the run begins again, and so does all since', async (_, policy) => {
    const point = await pointBeside(policy);
    expect(point).toMatchObject({ eventId: 2, step: charge });
    expect(point?.siblings.map(({ name }) => name)).toEqual(['pack', 'ship']);
  });

  it('that goes on by itself does not begin again', async () => {
    expect(await pointBeside(2)).toEqual({ eventId: 6, step: charge, siblings: [] });
  });

  it.each([
    'childWorkflowExecutionCompletedEventAttributes',
    'childWorkflowExecutionFailedEventAttributes',
    'childWorkflowExecutionCanceledEventAttributes',
    'childWorkflowExecutionTimedOutEventAttributes',
    'childWorkflowExecutionTerminatedEventAttributes',
    'startChildWorkflowExecutionFailedEventAttributes',
  ])('that had ended before the run does not begin again: %s', async (attributes) => {
    const end: HistoryEvent = { [attributes]: { initiatedEventId: 4 } };
    expect(await pointBeside(1, end)).toEqual({ eventId: 6, step: charge, siblings: [] });
  });

  it('begins again if another one had ended', async () => {
    const end: HistoryEvent = { childWorkflowExecutionCompletedEventAttributes: { initiatedEventId: 3 } };
    expect(await pointBeside(1, end)).toMatchObject({ eventId: 2, step: charge });
  });

  it('begins again with the earliest one that was ended with the run', async () => {
    const children = [child('ship', 2), task, child('bill', 4), task];
    const point = await pointOf(started, task, ...children, activity('charge', 6), task, failed(7));
    expect(point).toMatchObject({ eventId: 2, step: charge, siblings: [{ name: 'ship' }, { name: 'bill' }] });
  });
});

describe('the event of the step that was parked when a run ended', () => {
  const step = { runId: 'run', eventId: 5, burial: 1 };

  it.each<[string, Parameters<typeof parkedEventOf>[0], string, number | undefined]>([
    ['is that of the letter in the run that parked the step', step, 'run', 5],
    ['is not in another run', step, 'next', undefined],
    ['is in the run to which a resume has carried the step', { ...step, waitsIn: 'next' }, 'next', 5],
    ['is then no longer in the run that parked it', { ...step, waitsIn: 'next' }, 'run', undefined],
    ['is not there if the step failed without being parked', { runId: 'run', eventId: 5 }, 'run', undefined],
    ['is not there in a letter without a step', null, 'run', undefined],
  ])('%s', (_, letter, runId, eventId) => {
    expect(parkedEventOf(letter, runId)).toBe(eventId);
  });
});
