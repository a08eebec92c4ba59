import { useResource } from '../../api/resource';
import type { VersionAnswer } from '../../api/types';
import { Panel } from '../../parts/panel';
import { Empty, Shown } from '../../parts/state';
import { Table } from '../../parts/table';
import { hrefOf } from '../../router';
import { BothTimes } from '../../time/time';
import { SideBySide } from './side-by-side';
import { olderThan } from './versions-page';

interface VersionsPage {
  versions: VersionAnswer[];
  nextCursor?: string;
}

export function Versions({ scheduleId, query }: { scheduleId: string; query: URLSearchParams }) {
  const asked = query.get('version');
  const path = `v1/schedules/${encodeURIComponent(scheduleId)}/versions`;
  const page = useResource<VersionsPage>(`${path}?pageSize=100`);
  const cursor = olderThan({ asked, nextCursor: page.data?.nextCursor });
  const former = useResource<VersionsPage>(cursor === undefined ? undefined : `${path}?pageSize=2&cursor=${cursor}`);
  return (
    <Shown of={page}>
      {({ versions, nextCursor }) => (
        <>
          <Panel title="Versions" flush>
            <Table
              caption="Versions, newest first"
              keyOf={({ version }) => String(version)}
              rows={versions}
              columns={[
                { title: 'Version', isName: true, cell: ({ version }) => version },
                { title: 'By', cell: ({ actor }) => actor ?? '–' },
                { title: 'When', cell: ({ createdAt }) => <BothTimes at={createdAt} /> },
                {
                  title: 'Changed',
                  isWide: true,
                  cell: ({ changed }) => (changed.length === 0 ? 'the first, or nothing' : changed.join(', ')),
                },
                {
                  title: 'Compare',
                  cell: ({ version }) => (
                    <a href={hrefOf(['schedules', scheduleId], { tab: 'versions', version })}>
                      with the one before<span class="visually-hidden"> version {version}</span>
                    </a>
                  ),
                },
              ]}
            />
            {nextCursor === undefined ? null : <p class="empty">Older ones are not shown here.</p>}
          </Panel>
          {cursor === undefined ? (
            <Pair versions={versions} asked={asked} />
          ) : (
            <Shown of={former}>{(data) => <Pair versions={data.versions} asked={asked} />}</Shown>
          )}
        </>
      )}
    </Shown>
  );
}

function Pair({ versions, asked }: { versions: VersionAnswer[]; asked: string | null }) {
  const newer = asked === null ? versions[0] : versions.find(({ version }) => String(version) === asked);
  if (!newer) return asked === null ? null : <Empty>There is no version {asked}.</Empty>;
  const older = versions[versions.indexOf(newer) + 1];
  return older ? <SideBySide older={older} newer={newer} /> : null;
}
