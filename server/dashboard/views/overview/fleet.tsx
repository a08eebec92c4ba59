import type { Overview } from '../../api/types';
import { Panel } from '../../parts/panel';
import { Empty, Tag } from '../../parts/state';
import { Table } from '../../parts/table';
import { Time } from '../../time/time';
import { awayInWords } from './away-words';

export function Fleet({ data }: { data: Overview }) {
  return (
    <div class="columns">
      <Panel title="Triggers" flush>
        {data.triggers.length === 0 ? (
          <Empty>No trigger is alive: nothing fires.</Empty>
        ) : (
          <Table
            caption="Triggers that are alive"
            keyOf={(trigger) => trigger.id}
            rows={data.triggers}
            columns={[
              { title: 'Host', isName: true, cell: ({ host }) => host },
              { title: 'Version', cell: ({ version }) => version },
              { title: 'Last heartbeat', cell: ({ heartbeatAt }) => <Time at={heartbeatAt} /> },
            ]}
          />
        )}
      </Panel>
      {data.namespaces.length === 0 ? null : (
        <Panel title="Namespaces" flush>
          <Table
            caption="Namespaces that schedules start in"
            keyOf={({ namespace }) => namespace}
            rows={data.namespaces}
            columns={[
              { title: 'Namespace', isName: true, cell: ({ namespace }) => namespace },
              { title: 'Schedules', isNumber: true, cell: ({ schedules }) => schedules.toLocaleString('en') },
              {
                title: 'State',
                isWide: true,
                cell: ({ away }) =>
                  away ? (
                    <>
                      <Tag tone="bad">{awayInWords(away)}</Tag> since <Time at={away.since} />: {away.error}
                    </>
                  ) : (
                    <Tag tone="good">answers</Tag>
                  ),
              },
            ]}
          />
        </Panel>
      )}
    </div>
  );
}
