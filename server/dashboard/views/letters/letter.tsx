import { useState } from 'preact/hooks';
import { letterPath } from '../../api/letters';
import { reloadAll, useResource } from '../../api/resource';
import type { LetterAnswer } from '../../api/types';
import { PageHead, Panel } from '../../parts/panel';
import { Shown, Tag } from '../../parts/state';
import { answerHref } from '../../parts/strip';
import { hrefOf } from '../../router';
import { BothTimes } from '../../time/time';
import { DiscardDialog } from './discard-dialog';
import { failureOf, stepOf } from './letter-words';
import { RedriveDialog } from './redrive-dialog';

export function LetterView({ letterId }: { letterId: string }) {
  const letter = useResource<LetterAnswer>(letterPath(letterId));
  const [open, setOpen] = useState<'redrive' | 'discard'>();
  const close = () => {
    setOpen(undefined);
    reloadAll();
  };
  return (
    <>
      <PageHead
        title={letter.data ? failureOf(letter.data) : 'A dead letter'}
        sub={<a href={hrefOf(['letters'])}>All causes</a>}
      >
        {letter.data?.state === 'open' ? (
          <>
            <button type="button" class="button primary" onClick={() => setOpen('redrive')}>
              Redrive …
            </button>
            <button type="button" class="button danger" onClick={() => setOpen('discard')}>
              Discard …
            </button>
          </>
        ) : null}
      </PageHead>
      {open === 'redrive' ? <RedriveDialog filter={{}} letterId={letterId} onClose={close} /> : null}
      {open === 'discard' ? <DiscardDialog filter={{}} letterId={letterId} onClose={close} /> : null}
      <Shown of={letter}>{(data) => <Facts letter={data} />}</Shown>
    </>
  );
}

function Facts({ letter }: { letter: LetterAnswer }) {
  const {
    scheduleId,
    scheduledTime,
    state,
    kind,
    failedStep,
    actor,
    note,
    workflowId,
    createdAt,
    updatedAt,
    resumeUntil,
  } = letter;
  return (
    <Panel title="What failed">
      <dl class="pairs">
        <dt>Firing</dt>
        <dd>
          <a href={answerHref(scheduleId, scheduledTime)}>{scheduleId}</a>, due <BothTimes at={scheduledTime} />
        </dd>
        <dt>State</dt>
        <dd>
          <Tag tone={state === 'open' ? 'bad' : state === 'resolved' ? 'good' : 'none'}>{state}</Tag>{' '}
          {actor ? `by ${actor}` : ''} {note ?? ''}
        </dd>
        <dt>Kind</dt>
        <dd>{KIND[kind] ?? kind}</dd>
        {failedStep?.failure?.message ? (
          <>
            <dt>Message</dt>
            <dd>{failedStep.failure.message}</dd>
          </>
        ) : null}
        {stepOf(letter) ? (
          <>
            <dt>Step</dt>
            <dd>{stepOf(letter)}</dd>
          </>
        ) : null}
        <dt>Workflow</dt>
        <dd class="mono break">{workflowId ?? 'none was started'}</dd>
        <dt>Written</dt>
        <dd>
          <BothTimes at={createdAt} />
        </dd>
        <dt>Changed</dt>
        <dd>
          <BothTimes at={updatedAt} />
        </dd>
        {resumeUntil ? (
          <>
            <dt>Resume works until</dt>
            <dd>
              <BothTimes at={resumeUntil} />
            </dd>
          </>
        ) : null}
      </dl>
    </Panel>
  );
}

const KIND: Record<string, string> = {
  start: 'its start was abandoned',
  workflow: 'its workflow did not complete',
  parked: 'a step waits in its running workflow',
};
