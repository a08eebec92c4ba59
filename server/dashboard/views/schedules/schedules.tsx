import { useResource } from '../../api/resource';
import type { RowsPage } from '../../api/types';
import { Pager } from '../../parts/pager';
import { PageHead } from '../../parts/panel';
import { Empty, Shown } from '../../parts/state';
import { Bulk } from './bulk';
import { Filters, filterOf, pathOf } from './filters';
import { RowsTable } from './rows-table';

export function SchedulesView({ query }: { query: URLSearchParams }) {
  const filter = filterOf(query);
  const page = useResource<RowsPage>(pathOf(filter));
  return (
    <>
      <PageHead title="Schedules" />
      <div class="stack">
        <Filters filter={filter} />
        <Bulk filter={filter} />
        <Shown of={page}>
          {({ rows, total, isCut, nextCursor }) => (
            <section class="panel" aria-label="Schedules">
              {rows.length === 0 ? (
                <Empty>{emptyOf(filter.orderBy)}</Empty>
              ) : (
                <RowsTable rows={rows} orderBy={filter.orderBy} />
              )}
              <Pager
                path={['schedules']}
                query={query}
                nextCursor={nextCursor}
                shown={rows.length}
                total={total}
                isCut={isCut}
              />
            </section>
          )}
        </Shown>
      </div>
    </>
  );
}

function emptyOf(orderBy: string): string {
  if (orderBy === 'failing' || orderBy === 'lastOutcome') return 'No schedule failed when it fired last.';
  if (orderBy === 'late') return 'Nothing is late.';
  if (orderBy === 'pausedAt') return 'No schedule is paused.';
  return 'No schedule matches.';
}
