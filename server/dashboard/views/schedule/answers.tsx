import { useResource } from '../../api/resource';
import type { FiringAnswer } from '../../api/types';
import { Choice } from '../../parts/field';
import { Pager } from '../../parts/pager';
import { Empty, Shown } from '../../parts/state';
import { answerHref } from '../../parts/strip';
import { Table } from '../../parts/table';
import { KINDS } from '../../parts/words';
import { go, hrefOf } from '../../router';
import { durationOf, exactOf } from '../../time/format';
import { useSettings } from '../../time/settings';
import { FiringTag } from '../firing/firing-tag';

const PAGE_SIZE = 50;

const ONLY: Record<string, Record<string, string>> = {
  failed: { outcome: 'failed,timed_out' },
  abandoned: { state: 'abandoned' },
  skipped: { state: 'skipped' },
  running: { state: 'linked' },
  waiting: { state: 'buffered,claimed' },
  completed: { outcome: 'completed' },
};

export function Answers({ scheduleId, query }: { scheduleId: string; query: URLSearchParams }) {
  const { zone } = useSettings();
  const only = query.get('only') ?? '';
  const cursor = query.get('cursor');
  const asked = { ...ONLY[only], pageSize: String(PAGE_SIZE), ...(cursor === null ? {} : { cursor }) };
  const path = `v1/schedules/${encodeURIComponent(scheduleId)}/firings?${new URLSearchParams(asked)}`;
  const page = useResource<{ firings: FiringAnswer[]; nextCursor?: string }>(path);
  return (
    <section class="panel" aria-label="Firings">
      <div class="body filters">
        <Choice
          label="Only"
          value={only}
          options={[
            ['', 'All firings'],
            ['failed', 'Failed or timed out'],
            ['abandoned', 'Given up'],
            ['skipped', 'Skipped'],
            ['running', 'Running'],
            ['waiting', 'Waiting to start'],
            ['completed', 'Completed'],
          ]}
          onChange={(name: string) => go(hrefOf(['schedules', scheduleId], { tab: 'answers', only: name }))}
        />
      </div>
      <Shown of={page}>
        {({ firings, nextCursor }) => (
          <>
            {firings.length === 0 ? <Empty>None.</Empty> : null}
            <Table
              caption="Firings, newest first"
              keyOf={(firing) => firing.scheduledTime}
              rows={firings}
              columns={[
                {
                  title: 'Nominal time',
                  isName: true,
                  cell: ({ scheduledTime }) => (
                    <a href={answerHref(scheduleId, scheduledTime)}>{exactOf(scheduledTime, zone)}</a>
                  ),
                },
                { title: 'Answer', isWide: true, cell: (firing) => <FiringTag firing={firing} /> },
                { title: 'Kind', cell: ({ kind, actor }) => `${KINDS[kind] ?? kind}${actor ? ` of ${actor}` : ''}` },
                { title: 'Lag', isNumber: true, cell: lagOf },
                { title: 'Ran for', isNumber: true, cell: lengthOf },
              ]}
            />
            <Pager path={['schedules', scheduleId]} query={query} nextCursor={nextCursor} shown={firings.length} />
          </>
        )}
      </Shown>
    </section>
  );
}

function startOf({ linkedAt, startsAt }: FiringAnswer): number | undefined {
  if (linkedAt === null) return undefined;
  return Math.max(Date.parse(linkedAt), startsAt === null ? 0 : Date.parse(startsAt));
}

function lagOf(firing: FiringAnswer): string {
  const start = startOf(firing);
  return start === undefined ? '–' : durationOf(Math.max(0, start - Date.parse(firing.scheduledTime)));
}

function lengthOf(firing: FiringAnswer): string {
  const start = startOf(firing);
  if (start === undefined || firing.closedAt === null) return '–';
  return durationOf(Math.max(0, Date.parse(firing.closedAt) - start));
}
