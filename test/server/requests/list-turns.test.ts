import { expect, it, vi } from 'vitest';
import { withLazy } from '../../../client/list/lazily';
import { listSchedules } from '../../../server/routes/schedules/list';

it('answers other requests between the next times of two listed schedules, which may take long', async () => {
  let now = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => now);
  const done: string[] = [];
  const listed = (scheduleId: string) => ({
    scheduleId,
    info: withLazy({}, 'nextActionTimes', () => {
      now += 1_000;
      done.push(scheduleId);
      setImmediate(() => done.push('another request'));
      return [];
    }),
  });
  const listPage = async () => ({ schedules: [listed('one'), listed('two')] });
  const { body } = await listSchedules.handle({ query: {}, client: { listPage } } as never);
  JSON.stringify(body);
  expect(done).toEqual(['one', 'another request', 'two', 'another request']);
  vi.restoreAllMocks();
});
