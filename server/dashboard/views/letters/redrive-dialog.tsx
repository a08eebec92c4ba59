import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { counted } from '../../../../core/counted';
import {
  type LetterFilter,
  type Mode,
  planOne,
  planRedrive,
  type RedrivePlan,
  redriveAll,
  redriveOne,
} from '../../api/letters';
import type { ApiProblem } from '../../api/request';
import type { LetterAnswer } from '../../api/types';
import { Dialog } from '../../parts/dialog';
import { Choice, TextField } from '../../parts/field';
import { say } from '../../parts/toast';
import { BothTimes } from '../../time/time';
import { MODES, stepOf } from './letter-words';
import { mayRedrive } from './may-redrive';

/** At most this many letters are checked before the redrive. */
const LOOKED_UP = 200;

export function RedriveDialog({
  filter,
  isOne = false,
  letterId,
  onClose,
}: {
  filter: LetterFilter;
  /** Whether only one letter is redriven: the oldest one that can be redriven. */
  isOne?: boolean;
  letterId?: string;
  onClose: () => void;
}) {
  const [mode, setMode] = useState<Mode | ''>('');
  const [isForced, setIsForced] = useState(false);
  const [note, setNote] = useState('');
  const [plan, setPlan] = useState<RedrivePlan>();
  const [problem, setProblem] = useState<ApiProblem>();
  const how = { ...(mode === '' ? {} : { mode }), ...(isForced ? { force: true } : {}) };
  useEffect(() => {
    let isOld = false;
    setPlan(undefined);
    setProblem(undefined);
    const asked = letterId === undefined ? planRedrive(filter, { ...how, atMost: LOOKED_UP }) : planOne(letterId, how);
    asked.then(
      (answer) => !isOld && setPlan(answer),
      (error: ApiProblem) => !isOld && setProblem(error),
    );
    return () => {
      isOld = true;
    };
  }, [mode, isForced]);
  const isSingle = isOne || letterId !== undefined;
  const first = isOne ? plan?.planned.find(({ refused }) => !refused)?.letter : undefined;
  const confirm = async () => {
    const given = { ...how, ...(note === '' ? {} : { note }) };
    if (isSingle) {
      await redriveOne((letterId ?? first?.letterId)!, given);
      say('It is tried again within seconds. Its letter is resolved when it completes.');
      return;
    }
    const { redriven, refused } = await redriveAll(filter, given);
    const left = Object.values(refused).reduce((sum, count) => sum + count, 0);
    say(`${counted(redriven, 'letter')} will be tried again.${left > 0 ? ` ${left} stay open.` : ''}`);
  };
  const needsForce = (plan?.refused.RedriveNeedsForceError ?? 0) > 0;
  return (
    <Dialog
      title={isSingle ? 'Redrive one letter' : 'Redrive all that match'}
      action={isSingle ? 'Redrive this one' : actionOf(plan)}
      disabled={!mayRedrive(plan, { isSingle, letterId, problem })}
      onClose={onClose}
      onConfirm={confirm}
    >
      <Choice
        label="How"
        value={mode}
        options={[
          ['', 'By the kind of each letter: continue where it failed'],
          ['resume', 'Resume at the step that failed'],
          ['restart', 'Restart from the beginning'],
        ]}
        onChange={setMode}
      />
      <div aria-live="polite" role="status">
        {problem ? <p class="problem">{problem.message}</p> : null}
        {plan ? (
          <Plan plan={plan} isOfOne={letterId !== undefined} first={first} />
        ) : problem ? null : (
          <p class="quiet">Checking what would happen …</p>
        )}
      </div>
      {needsForce || isForced ? (
        <label class="row">
          <input
            type="checkbox"
            checked={isForced}
            onChange={(event: JSX.TargetedEvent<HTMLInputElement>) => setIsForced(event.currentTarget.checked)}
          />
          Redrive even if completed steps run again
        </label>
      ) : null}
      <TextField label="Why" value={note} onChange={setNote} />
    </Dialog>
  );
}

function actionOf(plan: RedrivePlan | undefined): string {
  if (!plan) return 'Redrive';
  return plan.total > plan.planned.length
    ? `Redrive ${plan.total.toLocaleString('en')}`
    : `Redrive ${counted(plan.redriven, 'letter')}`;
}

/** What would happen, in words. @param first the letter that would be redriven, if it is one of several */
function Plan({ plan, isOfOne, first }: { plan: RedrivePlan; isOfOne: boolean; first: LetterAnswer | undefined }) {
  const byWhat = new Map<string, number>();
  for (const { letter, mode, step, again, unanswered, refused } of plan.planned) {
    const name = mode === 'restart' ? undefined : (step?.name ?? stepOf(letter));
    const what = refused
      ? `stays open: ${refused.message}`
      : `${MODES[mode ?? ''] ?? mode}${name ? `: ${name}` : ''}${again && again.length > 0 ? `; these steps also run again: ${again.map(({ name }) => name).join(', ')}` : ''}${unanswered ? `; Temporal did not say what else runs again (${unanswered})` : ''}`;
    byWhat.set(what, (byWhat.get(what) ?? 0) + 1);
  }
  return (
    <div class="stack">
      {isOfOne ? null : (
        <p>
          <strong>{counted(plan.total, 'letter matches', 'letters match')}</strong>.
          {plan.planned.length < plan.total
            ? ` The oldest ${plan.planned.length.toLocaleString('en')} were checked:`
            : ''}
        </p>
      )}
      <ul class="list plain">
        {[...byWhat].map(([what, count]) => (
          <li key={what} class="break">
            {isOfOne ? null : <strong>{count.toLocaleString('en')} </strong>}
            {what}
          </li>
        ))}
      </ul>
      {first ? (
        <p class="quiet break">
          This one: {first.scheduleId}, <BothTimes at={first.scheduledTime} />
        </p>
      ) : null}
    </div>
  );
}
