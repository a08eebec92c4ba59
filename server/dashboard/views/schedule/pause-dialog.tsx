import { useState } from 'preact/hooks';
import { jsonOnce } from '../../api/once';
import type { FiringAnswer, ScheduleAnswer } from '../../api/types';
import { Dialog } from '../../parts/dialog';
import { TextField } from '../../parts/field';
import { exactOf } from '../../time/format';
import { heldAt } from './held';
import { zoneOf } from './schedule-zone';

export function PauseDialog({
  action,
  schedule,
  onClose,
  onDone,
}: {
  /** What the dialog was opened for. The schedule may change meanwhile. */
  action: 'pause' | 'unpause';
  schedule: ScheduleAnswer;
  onClose: () => void;
  onDone: (text: string) => void;
}) {
  const { scheduleId, state, info, spec } = schedule;
  const [note, setNote] = useState('');
  const zone = zoneOf({ spec });
  const isUnpause = action === 'unpause';
  const isAlready = isUnpause ? !state.paused : state.paused && !state.pausedUntil;
  const confirm = async () => {
    const body = note === '' ? {} : { note };
    const path = `v1/schedules/${encodeURIComponent(scheduleId)}/${action}`;
    const answer = await jsonOnce<{ handedOver?: FiringAnswer[] }>(path, { method: 'POST', body });
    const after = answer.handedOver?.length ?? 0;
    onDone(
      isUnpause
        ? `${scheduleId} goes on.`
        : `${scheduleId} is paused.${after > 0 ? ` ${after} that were claimed ahead still fire.` : ''}`,
    );
  };
  const next = info.nextActionTimes.find((time) => {
    const by = heldAt(schedule, time);
    return by === undefined || (isUnpause && by === 'paused');
  });
  return (
    <Dialog
      title={`${isUnpause ? 'Unpause' : 'Pause'} ${scheduleId}?`}
      action={isUnpause ? 'Unpause' : 'Pause'}
      disabled={isAlready}
      onClose={onClose}
      onConfirm={confirm}
    >
      <p>
        {isUnpause
          ? 'It continues from now. Occurrences during the pause are not caught up; a gap records them, and a backfill can fire them.'
          : 'Nothing new fires until it is unpaused. Occurrences during the pause are never caught up. Running workflows continue.'}
      </p>
      {state.paused && state.pausedUntil && !isUnpause ? (
        <p>
          It is paused until <strong>{exactOf(state.pausedUntil, zone)}</strong>. The new pause has no end.
        </p>
      ) : null}
      {isAlready ? (
        <p class="problem" role="alert">
          {isUnpause
            ? 'It is no longer paused.'
            : `${state.pausedBy ?? 'Its policy pauseOnFailure'} has paused it meanwhile${state.note ? `: ${state.note}` : '.'}`}
        </p>
      ) : null}
      {next === undefined ? null : (
        <p>
          {isUnpause ? 'It fires next at' : 'The first occurrence that does not fire is'}{' '}
          <strong>{exactOf(next, zone)}</strong>.
        </p>
      )}
      <TextField label="Why (others read it here, and in explain)" value={note} onChange={setNote} />
    </Dialog>
  );
}
