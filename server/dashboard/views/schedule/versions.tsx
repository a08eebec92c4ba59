import { useResource } from '../../api/resource';
import type { VersionAnswer } from '../../api/types';
import { Panel } from '../../parts/panel';
import { Shown } from '../../parts/state';
import { Table } from '../../parts/table';
import { hrefOf } from '../../router';
import { BothTimes } from '../../time/time';
import { SideBySide } from './side-by-side';

/** Who changed what, with two versions side by side. */
export function Versions({ scheduleId, query }: { scheduleId: string; query: URLSearchParams }) {
  const page = useResource<{ versions: VersionAnswer[]; nextCursor?: string }>(
    `v1/schedules/${encodeURIComponent(scheduleId)}/versions?pageSize=100`,
  );
  return (
    <Shown of={page}>
      {({ versions, nextCursor }) => {
        const newer = find(versions, query.get('version')) ?? versions[0];
        const older = find(versions, query.get('with')) ?? versions[versions.indexOf(newer!) + 1];
        return (
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
            {newer && older ? <SideBySide older={older} newer={newer} /> : null}
          </>
        );
      }}
    </Shown>
  );
}

function find(versions: VersionAnswer[], number: string | null): VersionAnswer | undefined {
  return versions.find(({ version }) => String(version) === number);
}
