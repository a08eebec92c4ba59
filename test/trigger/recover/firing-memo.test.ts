import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { firingMemoOf } from '../../../temporal/firing-memo';

const memo = {
  installation: '5b0f1f3e-7c11-4b5e-8f5e-3f0a4f0c9a11',
  scheduleId: 'nightly',
  scheduledTime: '2026-03-01T01:00:00.000Z',
  kind: 'schedule',
  startAttempt: 1,
  epoch: 0,
};
const read = (value: object) =>
  firingMemoOf({ fields: { escapement: defaultPayloadConverter.toPayload(value) as never } });

it('a memo that somebody forged is read as none if its values could not be stored, so that adoption goes on', () => {
  expect(read({ ...memo, actor: 'ann' })).toMatchObject({ scheduleId: 'nightly', actor: 'ann' });
  expect(read({ ...memo, actor: 'a\0b' })).toBeUndefined();
  expect(read({ ...memo, actor: 7 })).toBeUndefined();
  expect(read({ ...memo, scheduleId: 'a\0b' })).toBeUndefined();
});
