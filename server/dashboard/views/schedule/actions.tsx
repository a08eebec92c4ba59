import { useState } from 'preact/hooks';
import { runOnce } from '../../api/once';
import { reloadAll } from '../../api/resource';
import type { FiringAnswer, ScheduleAnswer } from '../../api/types';
import { answerHref } from '../../parts/strip';
import { say } from '../../parts/toast';
import { go } from '../../router';
import { BackfillDialog } from './backfill-dialog';
import { PauseDialog } from './pause-dialog';

export function Actions({ schedule, onChange }: { schedule: ScheduleAnswer; onChange: () => void }) {
  const [open, setOpen] = useState<'pause' | 'unpause' | 'backfill'>();
  const [isBusy, setIsBusy] = useState(false);
  const { scheduleId, state } = schedule;
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    say(text);
    onChange();
    reloadAll();
  };
  const runNow = async () => {
    setIsBusy(true);
    try {
      const firing = await runOnce<FiringAnswer>(
        `v1/schedules/${encodeURIComponent(scheduleId)}/trigger`,
        {},
        `${scheduleId} was asked to run now.`,
      );
      go(answerHref(scheduleId, firing.scheduledTime));
    } catch (error) {
      say((error as Error).message, { isBad: true });
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <>
      <button type="button" class="button primary" onClick={runNow} disabled={isBusy}>
        Run now
      </button>
      <button type="button" class="button" onClick={() => setOpen(state.paused ? 'unpause' : 'pause')}>
        {state.paused ? 'Unpause' : 'Pause'}
      </button>
      {state.paused && state.pausedUntil ? (
        <button type="button" class="button" onClick={() => setOpen('pause')}>
          Pause for good
        </button>
      ) : null}
      <button type="button" class="button" onClick={() => setOpen('backfill')}>
        Backfill
      </button>
      {open === 'pause' || open === 'unpause' ? (
        <PauseDialog action={open} schedule={schedule} onClose={close} onDone={done} />
      ) : null}
      {open === 'backfill' ? <BackfillDialog schedule={schedule} onClose={close} onDone={done} /> : null}
    </>
  );
}
