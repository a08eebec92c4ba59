import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { counted } from '../../../../core/counted';
import {
  type BulkFilter,
  type BulkKind,
  type BulkPlan,
  type Change,
  isRunUnanswered,
  planBulk,
  startBulk,
} from '../../api/bulk';
import { Dialog } from '../../parts/dialog';
import { Field, TextField } from '../../parts/field';
import { go, hrefOf } from '../../router';
import { Time } from '../../time/time';
import { readAttributes } from './attributes';

const SHOWN = 8;
const TITLES: Record<BulkKind, string> = {
  pause: 'Pause all that match?',
  unpause: 'Unpause all that match?',
  trigger: 'Run all that match once, now?',
  tag: 'Label all that match?',
};
const MEANS: Record<BulkKind, string> = {
  pause:
    'They fire nothing new until they are unpaused, or until the time below. Occurrences during the pause are never caught up. This can be undone.',
  unpause: 'They continue from now. This can be undone.',
  trigger: 'Each fires once beside its spec, 20 a second. Firings cannot be undone; the rest can be cancelled.',
  tag: 'Empty fields stay as they are. This can be undone.',
};
const DOES: Record<BulkKind, string> = { pause: 'Pause', unpause: 'Unpause', trigger: 'Run', tag: 'Label' };

export function BulkDialog({
  kind,
  filterOf,
  onClose,
}: {
  kind: BulkKind;
  filterOf: () => Promise<{ filter: BulkFilter; isCut: boolean }>;
  onClose: () => void;
}) {
  const [asked, setAsked] = useState<{ filter: BulkFilter; plan: BulkPlan; isCut: boolean }>();
  const [isUnknown] = useState(() => kind === 'trigger' && isRunUnanswered());
  const [problem, setProblem] = useState<string>();
  const [change, setChange] = useState<Change>({});
  const [named, setNamed] = useState('');
  const { attributes: searchAttributes, problem: misnamed } = readAttributes(named);
  const whole = Object.keys(searchAttributes).length === 0 ? change : { ...change, searchAttributes };
  useEffect(() => {
    const read = async () => {
      const { filter, isCut } = await filterOf();
      const isNone = filter.scheduleIds?.length === 0;
      // For `tag`, the API requires at least one label, even if it only counts the schedules.
      const given = kind === 'tag' ? { owner: 'nobody' } : {};
      const plan = isNone ? { total: 0, unchanged: 0, schedules: [] } : await planBulk(kind, filter, given);
      setAsked({ filter, plan, isCut });
    };
    read().catch((error: Error) => setProblem(error.message));
  }, []);
  const confirm = async () => {
    const { filter, plan } = asked!;
    const { operationId } = await startBulk(kind, filter, whole, plan.total);
    go(hrefOf(['operations', operationId]));
  };
  const plan = asked?.plan;
  const toChange = plan ? plan.total - plan.unchanged : 0;
  const says = kind !== 'tag' || Object.keys(whole).length > 0;
  return (
    <Dialog
      title={TITLES[kind]}
      action={plan ? `${DOES[kind]} ${counted(toChange, 'schedule')}` : DOES[kind]}
      disabled={toChange === 0 || !says || misnamed !== undefined}
      onClose={onClose}
      onConfirm={confirm}
    >
      <p>{MEANS[kind]}</p>
      {isUnknown ? (
        <p class="problem">
          It is not known whether a former run of many was started. If it was,{' '}
          <a href={hrefOf(['operations'])}>Changes of many</a> shows it: look there first, so that nothing runs twice.
        </p>
      ) : null}
      <div role="status" aria-live="polite">
        {problem ? <p class="problem">{problem}</p> : null}
        {plan ? <Plan plan={plan} kind={kind} /> : problem ? null : <p class="quiet">Counting …</p>}
        {asked?.isCut ? (
          <p>More may match than the list has. Only those of the list are meant: repeat this for the rest.</p>
        ) : null}
      </div>
      <Fields kind={kind} change={change} onChange={setChange} />
      {kind === 'tag' ? (
        <Field label="Search attributes, such as Team=ops, Tier=2; Team= takes it away">
          <input
            class="input"
            value={named}
            onInput={(event: JSX.TargetedInputEvent<HTMLInputElement>) => setNamed(event.currentTarget.value)}
          />
          {misnamed ? <span class="problem">{misnamed}</span> : null}
        </Field>
      ) : null}
    </Dialog>
  );
}

function Plan({ plan: { total, unchanged, schedules }, kind }: { plan: BulkPlan; kind: BulkKind }) {
  const already = kind === 'pause' ? 'paused already' : 'not paused';
  return (
    <>
      <p>
        <strong>{counted(total, 'schedule matches', 'schedules match')}</strong>
        {unchanged > 0
          ? `; ${unchanged.toLocaleString('en')} of them ${unchanged === 1 ? 'is' : 'are'} ${already}`
          : ''}
        .
      </p>
      <ul class="list plain">
        {schedules.slice(0, SHOWN).map(({ scheduleId, paused, nextFireAt }) => (
          <li key={scheduleId} class="break">
            {scheduleId}
            <span class="quiet">
              {paused ? ' · paused' : ''}
              {nextFireAt ? (
                <>
                  {' '}
                  · fires <Time at={nextFireAt} />
                </>
              ) : null}
            </span>
          </li>
        ))}
        {total > SHOWN ? <li class="quiet">and {(total - SHOWN).toLocaleString('en')} more</li> : null}
      </ul>
    </>
  );
}

const FIELDS: Record<BulkKind, [name: string, label: string][]> = {
  pause: [
    ['note', 'Why (others read it on each of them)'],
    ['until', 'Until, such as 2 hours; empty: until somebody unpauses'],
  ],
  unpause: [['note', 'Why']],
  trigger: [],
  tag: [
    ['owner', 'Owner'],
    ['runbook', 'Link to the run-book'],
  ],
};

function Fields({ kind, change, onChange }: { kind: BulkKind; change: Change; onChange: (change: Change) => void }) {
  const set = (name: string, value: string) => {
    const { [name]: _, ...others } = change;
    onChange(value === '' ? others : { ...others, [name]: value });
  };
  return (
    <>
      {FIELDS[kind].map(([name, label]) => (
        <TextField key={name} label={label} value={String(change[name] ?? '')} onChange={(value) => set(name, value)} />
      ))}
    </>
  );
}
