import { expect, it } from 'vitest';
import { workflowIdAt } from '../../bench/lib/calendar';
import { figuresOf } from '../../bench/scenes/killed/figures';
import { outcomesOf } from '../../bench/scenes/killed/outcomes';

const AT = Date.parse('2026-01-01T00:00:00Z');

it('the scene killed counts what never ran and what ran twice, and takes no workflow that a list lacks for a missed one', async () => {
  const due = [0, 2_000, 4_000, 6_000].map((later) => AT + later);
  const idOf = (time: number) => workflowIdAt('job', time);
  const [once, twice, unlisted] = due as [number, number, number, number];
  const run = (time: number) => ({ workflowId: idOf(time), startedAt: time, closedAt: time + 1_500 });
  const history = new Map([once, twice, unlisted].map((time) => [idOf(time), time + 700]));
  const outcomes = await outcomesOf(
    { scheduleIds: ['job'], instants: due },
    [run(once), run(twice), run(twice)],
    async (workflowId) => history.get(workflowId),
  );
  const figures = figuresOf('one', outcomes, [{ from: AT + 1_000, to: AT + 5_000 }]);
  expect(Object.fromEntries(figures.map(({ metric, median }) => [metric, median]))).toEqual({
    ...{ due: 4, 'due meanwhile': 2, 'never ran': 1, 'ran twice': 1 },
    ...{ 'latest start': 0.7, 'latest end': 1.5 },
  });
});
