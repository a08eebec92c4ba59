import { counted } from '../../../../core/counted';
import type { ScheduleRow } from '../../api/types';
import { Tag } from '../../parts/state';
import { Strip } from '../../parts/strip';
import { type Column, Table } from '../../parts/table';
import { hrefOf } from '../../router';
import { useSettings } from '../../time/settings';
import { Time } from '../../time/time';

const TROUBLE: Record<string, string> = {
  failing: 'Failing since',
  lastOutcome: 'Failing since',
  late: 'Late since',
  pausedAt: 'Paused',
};

export function RowsTable({ rows, orderBy }: { rows: ScheduleRow[]; orderBy: string }) {
  const { zone } = useSettings();
  const trouble: Column<ScheduleRow>[] =
    orderBy in TROUBLE
      ? [{ title: TROUBLE[orderBy]!, cell: (row) => (row.trouble ? <Time at={row.trouble.since} /> : null) }]
      : [];
  return (
    <Table
      caption="Schedules"
      keyOf={(row) => row.scheduleId}
      rows={rows}
      columns={[
        {
          title: 'Schedule',
          isName: true,
          cell: ({ scheduleId, workflowType, taskQueue, tenant }) => (
            <>
              <a href={hrefOf(['schedules', scheduleId])}>{scheduleId}</a>
              <div class="quiet small">
                {workflowType} on {taskQueue}
                {tenant === '' ? '' : ` · ${tenant}`}
              </div>
            </>
          ),
        },
        {
          title: 'When',
          isWide: true,
          cell: ({ words, timezone }) => (
            <>
              {words.length === 0 ? 'Only by hand' : words.slice(0, 2).join('; ')}
              {words.length > 2 ? ` and ${words.length - 2} more` : ''}
              {timezone ? <span class="quiet"> · {timezone}</span> : null}
            </>
          ),
        },
        ...trouble,
        {
          title: 'Next',
          cell: ({ nextFireAt }) => (nextFireAt ? <Time at={nextFireAt} /> : <span class="quiet">–</span>),
        },
        {
          title: 'Latest answers',
          cell: ({ scheduleId, marks }) => <Strip scheduleId={scheduleId} marks={marks} zone={zone} small />,
        },
        { title: 'State', cell: (row) => <StateTags row={row} orderBy={orderBy} /> },
      ]}
    />
  );
}

function StateTags({ row, orderBy }: { row: ScheduleRow; orderBy: string }) {
  const { state, failing, trouble, frozen } = row;
  const inARow = orderBy === 'failing' || orderBy === 'lastOutcome' ? (trouble?.count ?? failing) : failing;
  const isWell = inARow === 0 && !state.paused && !state.completed && !state.specError && !state.shadow && !frozen;
  return (
    <span class="row">
      {state.specError ? <Tag tone="bad">cannot be evaluated</Tag> : null}
      {state.shadow ? <Tag>shadow</Tag> : null}
      {orderBy === 'late' && trouble ? <Tag tone="bad">late: {counted(trouble.count, 'firing')}</Tag> : null}
      {inARow > 0 ? <Tag tone="bad">{inARow === 1 ? 'failed last' : `failed ${inARow} in a row`}</Tag> : null}
      {state.paused ? (
        <Held what={`paused${state.pausedBy ? ` by ${state.pausedBy}` : ''}`} until={state.pausedUntil} />
      ) : null}
      {frozen ? <Held what="frozen" until={frozen.until} /> : null}
      {state.completed ? <Tag>completed</Tag> : null}
      {isWell && orderBy !== 'late' ? <Tag tone="good">live</Tag> : null}
    </span>
  );
}

function Held({ what, until }: { what: string; until: string | undefined }) {
  return (
    <Tag tone="warn">
      <span>
        {what}
        {until === undefined ? null : (
          <>
            , ends <Time at={until} />
          </>
        )}
      </span>
    </Tag>
  );
}
