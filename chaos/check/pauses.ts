import { type Facts, named, type Violation } from './facts';
import { SLACK_MILLISECONDS } from './skips';
import { surePausesOf } from './stretches';

/**
 * Checks that no occurrence fired that was due, and was claimed, while its schedule was surely paused. An occurrence
 * that was claimed ahead, before the pause, may fire.
 */
export function checkPauses({ schedules, firings, asked }: Facts): Violation[] {
  return schedules.flatMap(({ scheduleId }) => {
    const pauses = surePausesOf(asked, scheduleId);
    return (
      firings
        // A person may redrive a firing during a pause, which also claims it again.
        .filter((one) => one.scheduleId === scheduleId && ['schedule', 'catchup'].includes(one.kind) && one.epoch === 0)
        .filter(({ state, time, claimedAt }) =>
          pauses.some(
            ({ from, to }) =>
              state !== 'skipped' &&
              time > from &&
              time < to - SLACK_MILLISECONDS &&
              claimedAt > from + SLACK_MILLISECONDS,
          ),
        )
        .map(
          (one): Violation => ({
            kind: 'unexplained',
            text: `${named(one)} was due while its schedule was paused, and has a row: ${one.state}`,
          }),
        )
    );
  });
}
