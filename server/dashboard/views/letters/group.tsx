import { useState } from 'preact/hooks';
import { type LetterFilter, type LettersPage, lettersPath } from '../../api/letters';
import { reloadAll, useResource } from '../../api/resource';
import type { LetterAnswer } from '../../api/types';
import { Pager } from '../../parts/pager';
import { PageHead } from '../../parts/panel';
import { Empty, Shown, Tag } from '../../parts/state';
import { answerHref } from '../../parts/strip';
import { Table } from '../../parts/table';
import { hrefOf } from '../../router';
import { Time } from '../../time/time';
import { DiscardDialog } from './discard-dialog';
import { failureOf, NO_STEP, stepOf } from './letter-words';
import { RedriveDialog } from './redrive-dialog';

export function GroupView({ filter, query }: { filter: LetterFilter; query: URLSearchParams }) {
  const given = { state: 'open', ...filter };
  const page = useResource<LettersPage>(lettersPath(given, query.get('cursor')));
  const [open, setOpen] = useState<'one' | 'all' | 'discard'>();
  const close = () => {
    setOpen(undefined);
    reloadAll();
  };
  const isOpen = given.state === 'open';
  return (
    <>
      <PageHead title={titleOf(given)} sub={<a href={hrefOf(['letters'])}>All causes</a>}>
        {isOpen && page.data && page.data.letters.length > 0 ? (
          <>
            <button type="button" class="button" onClick={() => setOpen('one')}>
              Redrive one first …
            </button>
            <button type="button" class="button primary" onClick={() => setOpen('all')}>
              Redrive all …
            </button>
            <button type="button" class="button danger" onClick={() => setOpen('discard')}>
              Discard all …
            </button>
          </>
        ) : null}
      </PageHead>
      {open === 'one' ? <RedriveDialog filter={filter} isOne onClose={close} /> : null}
      {open === 'all' ? <RedriveDialog filter={filter} onClose={close} /> : null}
      {open === 'discard' ? <DiscardDialog filter={filter} onClose={close} /> : null}
      <section class="panel" aria-label="Letters">
        <Shown of={page}>
          {({ letters, nextCursor }) => (
            <>
              {letters.length === 0 ? <Empty>None in this state.</Empty> : <Letters letters={letters} />}
              <Pager path={['letters']} query={query} nextCursor={nextCursor} shown={letters.length} />
            </>
          )}
        </Shown>
      </section>
    </>
  );
}

function Letters({ letters }: { letters: LetterAnswer[] }) {
  return (
    <Table
      caption="Letters, newest first"
      keyOf={({ letterId }) => letterId}
      rows={letters}
      columns={[
        {
          title: 'Firing',
          isName: true,
          cell: ({ scheduleId, scheduledTime }) => (
            <a href={answerHref(scheduleId, scheduledTime)}>
              {scheduleId} <Time at={scheduledTime} exact />
            </a>
          ),
        },
        {
          title: 'Failure',
          isWide: true,
          cell: (letter) => (
            <>
              {failureOf(letter)}
              {letter.failedStep?.failure?.message ? `: ${letter.failedStep.failure.message}` : ''}
            </>
          ),
        },
        { title: 'Step', cell: (letter) => stepOf(letter) ?? '–' },
        { title: 'Written', cell: ({ createdAt }) => <Time at={createdAt} /> },
        {
          title: 'State',
          cell: ({ state, actor }) => <Tag tone={TONES[state] ?? 'none'}>{actor ? `${state} by ${actor}` : state}</Tag>,
        },
        { title: 'Note', isWide: true, cell: ({ note }) => note ?? '' },
        {
          title: 'Letter',
          cell: ({ letterId, scheduleId }) => (
            <a href={hrefOf(['letters'], { letter: letterId })}>
              Open<span class="visually-hidden"> the letter of {scheduleId}</span>
            </a>
          ),
        },
      ]}
    />
  );
}

const TONES: Record<string, 'good' | 'bad' | 'run' | 'none'> = { open: 'bad', redriving: 'run', resolved: 'good' };

function titleOf({ failureType, step, scheduleId, state }: LetterFilter): string {
  const where = step === undefined ? '' : ` of ${step || NO_STEP}`;
  if (failureType) return `${failureType.replaceAll('_', ' ')}${where}`;
  return `${state === 'open' ? 'Open' : state === 'redriving' ? 'Redriving' : state} letters${scheduleId ? ` of ${scheduleId}` : ''}`;
}
