import { counted } from '../../../../core/counted';
import type { BulkFilter, BulkKind, Operation } from '../../api/bulk';
import { Tag } from '../../parts/state';

const KINDS: Record<BulkKind, string> = { pause: 'Pause', unpause: 'Unpause', trigger: 'Run now', tag: 'Label' };

export function kindInWords({ kind, undoes }: Operation): string {
  return undoes === null ? KINDS[kind] : `Undo: ${KINDS[kind].toLowerCase()}`;
}

export function aboutInWords({ scheduleIds, all, text, query, ...others }: BulkFilter): string {
  const said = [
    all ? 'all schedules' : undefined,
    scheduleIds ? counted(scheduleIds.length, 'schedule that was listed', 'schedules that were listed') : undefined,
    text ? `with “${text}”` : undefined,
    query,
    ...Object.entries(others).map(([name, value]) => `${name} ${String(value)}`),
  ];
  return said.filter(Boolean).join(', ');
}

/** What an operation waits for until it is carried out. */
export const WAITS: Record<'turn' | 'process', string> = {
  turn: 'its turn: ten others of its tenant are carried out',
  process: 'a server with a free place',
};

/** One part of a change, such as search attributes. */
export function valueInWords(value: unknown): string {
  if (value === null) return 'taken away';
  if (typeof value !== 'object') return String(value);
  const said = (one: unknown) => (one === null ? '' : [one].flat().join(' '));
  return Object.entries(value as object)
    .map(([name, one]) => `${name}=${said(one)}`)
    .join(', ');
}

export function StateTag({ operation: { state, waitsFor, failed, left } }: { operation: Operation }) {
  if (state === 'cancelled')
    return <Tag tone="warn">cancelled{left > 0 ? `, ${left.toLocaleString('en')} left` : ''}</Tag>;
  if (waitsFor) return <Tag tone="warn">waits, {left.toLocaleString('en')} to go</Tag>;
  if (state === 'running') return <Tag tone="run">{left.toLocaleString('en')} to go</Tag>;
  return failed > 0 ? <Tag tone="bad">{failed.toLocaleString('en')} failed</Tag> : <Tag tone="good">done</Tag>;
}
