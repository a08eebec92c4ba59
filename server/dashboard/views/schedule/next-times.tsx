import { Table } from '../../parts/table';
import { exactOf } from '../../time/format';
import { useSettings } from '../../time/settings';
import { Time } from '../../time/time';

/** The next times in the schedule's zone and in the reader's. */
export function NextTimes({ times, zone, isPaused }: { times: string[]; zone: string; isPaused: boolean }) {
  const { zone: own } = useSettings();
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
          { title: 'In', cell: (time) => <Time at={time} zone={zone} /> },
        ]}
      />
    </>
  );
}
