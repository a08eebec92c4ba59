import type { LetterGroups } from '../../api/letters';
import { useResource } from '../../api/resource';
import type { LetterGroupAnswer } from '../../api/types';
import { Empty, Shown } from '../../parts/state';
import { Table } from '../../parts/table';
import { hrefOf } from '../../router';
import { Time } from '../../time/time';
import { NO_STEP } from './letter-words';
import { type OverTime, Spark } from './spark';

export function Groups() {
  const groups = useResource<LetterGroups>('v1/dead-letters/groups');
  const overTime = useResource<OverTime>('v1/dead-letters/over-time', { every: 30_000 });
  return (
    <section class="panel" aria-label="Causes">
      <Shown of={groups}>
        {({ groups: rows }) =>
          rows.length === 0 ? (
            <Empty>No dead letter is open: nothing waits for a person.</Empty>
          ) : (
            <Table
              caption="Causes of open dead letters, the most frequent first"
              keyOf={({ failureType, step, workflowType }) => `${failureType} ${step} ${workflowType}`}
              rows={rows}
              columns={[
                {
                  title: 'Failure',
                  isName: true,
                  cell: (group) => (
                    <>
                      <a href={hrefOf(['letters'], filterOf(group))}>{group.failureType.replaceAll('_', ' ')}</a>
                      {group.message === null ? null : <div class="quiet break">{group.message}</div>}
                    </>
                  ),
                },
                { title: 'Step', cell: ({ step }) => step ?? NO_STEP },
                { title: 'Workflow', cell: ({ workflowType }) => workflowType ?? '–' },
                {
                  title: 'Open',
                  isNumber: true,
                  cell: ({ letters }) => <strong>{letters.toLocaleString('en')}</strong>,
                },
                { title: 'Schedules', isNumber: true, cell: ({ schedules }) => schedules.toLocaleString('en') },
                { title: '14 days', cell: (group) => <Spark overTime={overTime.data} group={group} /> },
                { title: 'Oldest', cell: ({ oldestAt }) => <Time at={oldestAt} /> },
                { title: 'Newest', cell: ({ newestAt }) => <Time at={newestAt} /> },
              ]}
            />
          )
        }
      </Shown>
      <div class="pager">
        <a href={hrefOf(['letters'], { state: 'redriving' })}>Being redriven</a>
        <a href={hrefOf(['letters'], { state: 'resolved' })}>Resolved</a>
        <a href={hrefOf(['letters'], { state: 'discarded' })}>Discarded</a>
      </div>
    </section>
  );
}

function filterOf({ failureType, step, workflowType }: LetterGroupAnswer) {
  return { failureType, step, workflowType };
}
