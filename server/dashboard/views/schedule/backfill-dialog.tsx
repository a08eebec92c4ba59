import { useEffect, useState } from 'preact/hooks';
import { counted } from '../../../../core/counted';
import { jsonOnce } from '../../api/once';
import { json } from '../../api/request';
import type { ScheduleAnswer } from '../../api/types';
import { Dialog } from '../../parts/dialog';
import { Choice, TextField } from '../../parts/field';
import { now } from '../../time/clock';
import { exactOf, inputOf } from '../../time/format';
import { zoneOf } from './schedule-zone';

interface Result {
  occurrences: number;
  filled: number;
  skipping: number;
  alreadyFired: number;
  leftToTrigger: number;
  leftToNative?: number;
  first?: string;
  last?: string;
}

const OVERLAPS: [string, string][] = [
  ['BUFFER_ALL', 'One after the other'],
  ['', 'As the schedule has it'],
  ['ALLOW_ALL', 'All at once'],
  ['SKIP', 'Skip while one runs'],
];
const DAY = 86_400_000;

export function BackfillDialog({
  schedule: { scheduleId, spec },
  onClose,
  onDone,
}: {
  schedule: ScheduleAnswer;
  onClose: () => void;
  onDone: (text: string) => void;
}) {
  const zone = zoneOf({ spec });
  const [start, setStart] = useState(() => inputOf(new Date(now() - DAY), zone));
  const [end, setEnd] = useState(() => inputOf(new Date(now()), zone));
  const [overlap, setOverlap] = useState('BUFFER_ALL');
  const [plan, setPlan] = useState<Result>();
  const [problem, setProblem] = useState<string>();
  const range = { start: `${start}:00`, end: `${end}:00`, ...(overlap === '' ? {} : { overlap }) };
  const ask = (dryRun: boolean) =>
    (dryRun ? json : jsonOnce)<Result>(`v1/schedules/${encodeURIComponent(scheduleId)}/backfill`, {
      method: 'POST',
      body: { ranges: [range], dryRun },
    });
  // A plan is shown only if it belongs to the current range.
  useEffect(() => {
    let isOld = false;
    setPlan(undefined);
    setProblem(undefined);
    ask(true).then(
      (result) => !isOld && setPlan(result),
      (error: Error) => !isOld && setProblem(error.message),
    );
    return () => {
      isOld = true;
    };
  }, [start, end, overlap]);
  const confirm = async () => {
    const { filled } = await ask(false);
    onDone(`${counted(filled, 'occurrence')} of ${scheduleId} will fire.`);
  };
  return (
    <Dialog
      title={`Backfill ${scheduleId}`}
      action={plan ? `Fire ${counted(plan.filled, 'occurrence')}` : 'Fire'}
      disabled={!plan || plan.filled === 0}
      onClose={onClose}
      onConfirm={confirm}
    >
      <div class="filters">
        <TextField label={`From, in ${zone}`} type="datetime-local" required value={start} onChange={setStart} />
        <TextField label={`To, in ${zone}`} type="datetime-local" required value={end} onChange={setEnd} />
        <Choice label="While another runs" value={overlap} options={OVERLAPS} onChange={setOverlap} />
      </div>
      <div aria-live="polite" role="status">
        {problem ? <p class="problem">{problem}</p> : null}
        {plan ? <Plan plan={plan} zone={zone} /> : problem ? null : <p class="quiet">Counting …</p>}
      </div>
    </Dialog>
  );
}

function Plan({ plan, zone }: { plan: Result; zone: string }) {
  return (
    <dl class="pairs">
      <dt>In the range</dt>
      <dd>{counted(plan.occurrences, 'occurrence')}</dd>
      <dt>Will fire</dt>
      <dd>
        <strong>{plan.filled.toLocaleString('en')}</strong>
        {plan.first && plan.last ? `, ${exactOf(plan.first, zone)} to ${exactOf(plan.last, zone)}` : ''}
      </dd>
      <dt>Have already fired</dt>
      <dd>{plan.alreadyFired.toLocaleString('en')}</dd>
      {plan.leftToTrigger === 0 ? null : (
        <>
          <dt>Left to a trigger</dt>
          <dd>{plan.leftToTrigger.toLocaleString('en')}, which will decide on them</dd>
        </>
      )}
      {plan.leftToNative ? (
        <>
          <dt>Left to Temporal’s own schedule</dt>
          <dd>{plan.leftToNative.toLocaleString('en')}, which may have run</dd>
        </>
      ) : null}
      {plan.skipping === 0 ? null : (
        <>
          <dt>Overlap will skip</dt>
          <dd>{plan.skipping.toLocaleString('en')} of them, because another one runs or waits</dd>
        </>
      )}
    </dl>
  );
}
