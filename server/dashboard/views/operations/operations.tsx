import type { Operation } from '../../api/bulk';
import { useResource } from '../../api/resource';
import { PageHead } from '../../parts/panel';
import { Empty, Shown } from '../../parts/state';
import { Table } from '../../parts/table';
import { hrefOf } from '../../router';
import { Time } from '../../time/time';
import { aboutInWords, kindInWords, StateTag } from './operation-words';

export function OperationsView() {
  const operations = useResource<{ operations: Operation[] }>('v1/operations');
  return (
    <>
      <PageHead title="Changes of many" sub={<a href={hrefOf(['schedules'])}>All schedules</a>} />
      <section class="panel" aria-label="Changes of many schedules">
        <Shown of={operations}>
          {({ operations: rows }) =>
            rows.length === 0 ? (
              <Empty>Nobody has changed many schedules at once.</Empty>
            ) : (
              <Table
                caption="Changes of many schedules, newest first"
                keyOf={({ operationId }) => operationId}
                rows={rows}
                columns={[
                  {
                    title: 'What',
                    isName: true,
                    cell: (one) => <a href={hrefOf(['operations', one.operationId])}>{kindInWords(one)}</a>,
                  },
                  { title: 'Which', isWide: true, cell: ({ filter }) => aboutInWords(filter) },
                  { title: 'Schedules', isNumber: true, cell: ({ total }) => total.toLocaleString('en') },
                  { title: 'State', cell: (one) => <StateTag operation={one} /> },
                  { title: 'By', cell: ({ actor }) => actor },
                  { title: 'Asked for', cell: ({ createdAt }) => <Time at={createdAt} /> },
                ]}
              />
            )
          }
        </Shown>
      </section>
    </>
  );
}
