import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { counted } from '../../../../core/counted';
import { type LetterFilter, type Mode, planRedrive, type RedrivePlan, redriveAll, redriveOne } from '../../api/letters';
import { Dialog } from '../../parts/dialog';
import { Choice, TextField } from '../../parts/field';
import { say } from '../../parts/toast';
import { MODES } from './letter-words';

/** At most this many letters are checked before the redrive. */
const LOOKED_UP = 200;

/** The dialog that redrives letters: it first shows what would happen, then asks for confirmation. */
export function RedriveDialog({
  filter,
  atMost,
  letterId,
  onClose,
}: {
  filter: LetterFilter;
  /** Maximum number of letters, oldest first. */
  atMost?: number;
  /** The ID of the only letter to redrive. */
  letterId?: string;
  onClose: () => void;
}) {
  const [mode, setMode] = useState<Mode | ''>('');
  const [isForced, setIsForced] = useState(false);
  const [note, setNote] = useState('');
  const [plan, setPlan] = useState<RedrivePlan>();
  const [problem, setProblem] = useState<string>();
  const how = { ...(mode === '' ? {} : { mode }), ...(isForced ? { force: true } : {}) };
  useEffect(() => {
    let isOld = false;
    setPlan(undefined);
    setProblem(undefined);
    planRedrive(filter, { ...how, atMost: Math.min(atMost ?? LOOKED_UP, LOOKED_UP) }).then(
      (answer) => !isOld && setPlan(answer),
      (error: Error) => !isOld && setProblem(error.message),
    );
    return () => {
      isOld = true;
    };
  }, [mode, isForced]);
  const confirm = async () => {
    const given = { ...how, ...(note === '' ? {} : { note }) };
    const one = letterId ?? (atMost === 1 ? plan?.planned.find(({ refused }) => !refused)?.letter.letterId : undefined);
    if (one !== undefined) {
      await redriveOne(one, given);
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
      title={letterId !== undefined || atMost === 1 ? 'Redrive one letter' : 'Redrive all that match'}
      action={actionOf(plan, atMost)}
      disabled={!plan || plan.redriven === 0}
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
        {problem ? <p class="problem">{problem}</p> : null}
        {plan ? <Plan plan={plan} /> : problem ? null : <p class="quiet">Checking what would happen …</p>}
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

function actionOf(plan: RedrivePlan | undefined, atMost: number | undefined): string {
  if (!plan) return 'Redrive';
  if (atMost === 1) return 'Redrive this one';
  return plan.total > plan.planned.length
    ? `Redrive ${plan.total.toLocaleString('en')}`
    : `Redrive ${counted(plan.redriven, 'letter')}`;
}

/** What would happen, in words. */
function Plan({ plan }: { plan: RedrivePlan }) {
  const byWhat = new Map<string, number>();
  for (const { mode, step, again, refused } of plan.planned) {
    const what = refused
      ? `stays open: ${refused.message}`
      : `${MODES[mode ?? ''] ?? mode}${step && mode !== 'restart' ? `: ${step.name}` : ''}${again && again.length > 0 ? `; these steps also run again: ${again.map(({ name }) => name).join(', ')}` : ''}`;
    byWhat.set(what, (byWhat.get(what) ?? 0) + 1);
  }
  const [first] = plan.planned;
  return (
    <div class="stack">
      <p>
        <strong>{counted(plan.total, 'letter')}</strong> match.
        {plan.planned.length < plan.total
          ? ` The oldest ${plan.planned.length.toLocaleString('en')} were checked:`
          : ''}
      </p>
      <ul class="list plain">
        {[...byWhat].map(([what, count]) => (
          <li key={what} class="break">
            <strong>{count.toLocaleString('en')}</strong> {what}
          </li>
        ))}
      </ul>
      {first && !first.refused && plan.planned.length === 1 ? (
        <p class="quiet break">
          {first.letter.scheduleId}, workflow <code>{first.workflowId}</code>
        </p>
      ) : null}
    </div>
  );
}
