import type { ScheduleAnswer } from '../../api/types';
import { Tag } from '../../parts/state';
import { Table } from '../../parts/table';
import { exactOf } from '../../time/format';
import { useSettings } from '../../time/settings';
import { Time } from '../../time/time';
import { heldAt } from './held';

export function NextTimes({ schedule, zone }: { schedule: ScheduleAnswer; zone: string }) {
  const { zone: own } = useSettings();
  const times = schedule.info.nextActionTimes;
  const isPaused = schedule.state.paused && schedule.state.pausedUntil === undefined;
  const heldBack = (time: string) => (isPaused ? undefined : heldAt(schedule, time));
  if (times.length === 0) return <p class="quiet">There are no coming times.</p>;
  const isSame = own === zone;
  return (
    <>
      {isPaused ? <p class="quiet">If it were not paused:</p> : null}
      <Table
        caption="Next times"
        keyOf={(time) => time}
        rows={times}
        columns={[
          { title: zone, isName: true, cell: (time) => exactOf(time, zone, { withZone: false }) },
          ...(isSame
            ? []
            : [{ title: `Yours, ${own}`, cell: (time: string) => exactOf(time, own, { withZone: false }) }]),
          {
            title: 'In',
            cell: (time) => (heldBack(time) ? <Tag>{heldBack(time)}</Tag> : <Time at={time} zone={zone} />),
          },
        ]}
      />
    </>
  );
}
