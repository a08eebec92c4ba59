import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { mayBeDone } from '../../../../core/decisions/may-be-done';
import { runOnce } from '../../api/once';
import { reloadAll } from '../../api/resource';
import type { LifeAnswer } from '../../api/types';
import { Dialog } from '../../parts/dialog';
import { TextField } from '../../parts/field';
import { hrefOf } from '../../router';

export function FiringActions({ answer: { explanation }, onChange }: { answer: LifeAnswer; onChange: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const firing = explanation.answer === 'firing' ? explanation.firing : undefined;
  const failed =
    explanation.answer === 'firing' && explanation.cause?.kind === 'failed' ? explanation.cause : undefined;
  const isOver = firing ? ['closed', 'skipped', 'abandoned'].includes(firing.state) : explanation.answer === 'gap';
  if (!isOver) return null;
  const mayHaveDone = firing
    ? mayBeDone(firing) !== undefined
    : explanation.answer === 'gap' && explanation.gap.reason === 'native';
  return (
    <>
      {failed?.letterState === 'open' ? (
        <a class="button primary" href={hrefOf(['letters'], { letter: failed.letterId })}>
          Redrive …
        </a>
      ) : null}
      <button type="button" class="button" onClick={() => setIsOpen(true)}>
        Run again …
      </button>
      {isOpen ? (
        <RunAgain
          scheduleId={explanation.scheduleId}
          time={firing?.scheduledTime ?? explanation.time}
          mayHaveDone={mayHaveDone}
          onClose={() => setIsOpen(false)}
          onDone={onChange}
        />
      ) : null}
    </>
  );
}

function RunAgain({
  scheduleId,
  time,
  mayHaveDone,
  onClose,
  onDone,
}: {
  scheduleId: string;
  time: string;
  /** Whether the firing may already have done its work. */
  mayHaveDone: boolean;
  onClose: () => void;
  onDone: () => void;
}) {
  const [note, setNote] = useState('');
  const [isSure, setIsSure] = useState(false);
  const confirm = async () => {
    const path = `v1/schedules/${encodeURIComponent(scheduleId)}/firings/${encodeURIComponent(time)}/run-again`;
    const body = { ...(note === '' ? {} : { note }), ...(isSure ? { confirm: true } : {}) };
    await runOnce(path, body, 'It was asked to run again.');
    onDone();
    reloadAll();
  };
  return (
    <Dialog
      title="Run this occurrence again?"
      action="Run again"
      disabled={mayHaveDone && !isSure}
      onClose={onClose}
      onConfirm={confirm}
    >
      <p>
        A new workflow runs for the same nominal time, with the current definition of the schedule. The earlier result
        stays recorded.
      </p>
      {mayHaveDone ? (
        <label class="row">
          <input
            type="checkbox"
            checked={isSure}
            onChange={(event: JSX.TargetedEvent<HTMLInputElement>) => setIsSure(event.currentTarget.checked)}
          />
          It may already have done its work. Run it again anyway.
        </label>
      ) : null}
      <TextField label="Why" value={note} onChange={setNote} />
    </Dialog>
  );
}
