import { useState } from 'preact/hooks';
import { allListed, type BulkFilter, type BulkKind } from '../../api/bulk';
import { hrefOf } from '../../router';
import { BulkDialog } from './bulk-dialog';
import { apiFilter, type Filter, isTrouble, pathOf } from './filters';

const KINDS: [kind: BulkKind, title: string][] = [
  ['pause', 'Pause …'],
  ['unpause', 'Unpause …'],
  ['trigger', 'Run now …'],
  ['tag', 'Label …'],
];

/** Actions on all schedules that match the filter, not only on those of the page shown. */
export function Bulk({ filter }: { filter: Filter }) {
  const [kind, setKind] = useState<BulkKind>();
  return (
    <div class="bulk row">
      <span class="quiet">{isNarrowed(filter) ? 'All that match:' : 'All schedules:'}</span>
      {KINDS.map(([name, title]) => (
        <button key={name} type="button" class="button" onClick={() => setKind(name)}>
          {title}
        </button>
      ))}
      <a href={hrefOf(['operations'])}>Changes of many</a>
      {kind ? (
        <BulkDialog kind={kind} filterOf={() => bulkFilterOf(filter)} onClose={() => setKind(undefined)} />
      ) : null}
    </div>
  );
}

function isNarrowed(filter: Filter): boolean {
  return isTrouble(filter.orderBy) || Object.keys(apiFilter(filter)).length > 0;
}

/** Converts the list's filter into a bulk change's filter. `isCut`: more schedules may match than were listed. */
async function bulkFilterOf(filter: Filter): Promise<{ filter: BulkFilter; isCut: boolean }> {
  if (isTrouble(filter.orderBy)) {
    const { scheduleIds, isCut } = await allListed(pathOf(filter));
    return { filter: { scheduleIds }, isCut };
  }
  const { paused, completed, ...given } = apiFilter(filter);
  const asked: BulkFilter = {
    ...given,
    ...(paused === undefined ? {} : { paused: paused === 'true' }),
    ...(completed === undefined ? {} : { completed: completed === 'true' }),
  };
  return { filter: Object.keys(asked).length === 0 ? { all: true } : asked, isCut: false };
}
