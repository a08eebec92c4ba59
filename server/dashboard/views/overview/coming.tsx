import { counted } from '../../../../core/counted';
import type { Overview } from '../../api/types';
import { Panel } from '../../parts/panel';
import { Empty } from '../../parts/state';
import { hrefOf } from '../../router';
import { Time } from '../../time/time';

/** The firings within 15 minutes. */
export function Coming({ coming }: { coming: Overview['coming'] }) {
  return (
    <Panel title="Fires within 15 minutes" flush aside={<a href={hrefOf(['ahead'])}>The week ahead</a>}>
      {coming.length === 0 ? (
        <Empty>Nothing.</Empty>
      ) : (
        <ul class="list">
          {coming.map(({ at, schedules, scheduleId }) => (
            <li key={at} class="row between">
              <Time at={at} />
              {schedules === 1 ? (
                <a class="break" href={hrefOf(['schedules', scheduleId])}>
                  {scheduleId}
                </a>
              ) : (
                <a href={hrefOf(['schedules'], { orderBy: 'nextFireAt', from: at, to: nextMinute(at) })}>
                  {counted(schedules, 'schedule')}
                </a>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function nextMinute(at: string): string {
  return new Date(Date.parse(at) + 60_000).toISOString();
}
