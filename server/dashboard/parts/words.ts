import type { Mark } from '../api/types';

export const LOOKS: Record<Mark['look'], string> = {
  completed: 'completed',
  failed: 'failed',
  other: 'ended otherwise',
  running: 'running',
  waiting: 'waiting to start',
  skipped: 'skipped',
  abandoned: 'abandoned',
  gap: 'did not fire',
};

const REASONS: Record<string, string> = {
  overlap: 'an earlier firing was still open',
  overlap_waiting: 'an earlier one was already waiting',
  superseded: 'a later firing took its place',
  cancel_ignored: 'the earlier firing was cancelled, but did not end',
  native: "Temporal's own schedule ran it",
  excluded: 'a person excluded it',
  paused: 'the schedule was paused',
  completed: 'the schedule was completed',
  schedule_deleted: 'the schedule was deleted',
  deleted: 'the schedule was deleted',
  set_aside: 'its definition could not be used',
  start_rejected: 'Temporal refused its start',
  start_refused: 'its start failed until the time limit',
  workflow_id_taken: 'another workflow had its ID',
  start_uncertain: 'it is not known whether its start succeeded',
  schedule_paused: 'the schedule was paused before it started',
  outside_catchup_window: 'it was missed, and too old to catch up',
  over_catchup_limit: 'it was missed, and over the catch-up limit',
  outside_retention: 'it was missed, and older than the retention',
};

export function reasonInWords(reason: string): string {
  return REASONS[reason] ?? reason.replaceAll('_', ' ');
}

export function markInWords({ look, outcome, reason, count, recovered, kind, error }: Mark): string {
  const what = look === 'gap' && count > 1 ? `${count.toLocaleString('en')} did not fire` : LOOKS[look];
  const parts = [outcome && look !== 'completed' && outcome !== 'failed' ? outcome.replaceAll('_', ' ') : what];
  if (reason !== undefined) parts.push(reasonInWords(reason));
  if (error !== undefined) parts.push(error);
  const extra = [
    kind && kind !== 'schedule' ? KINDS[kind] : undefined,
    recovered ? 'taken over by another trigger' : undefined,
  ];
  const aside = extra.filter(Boolean).join(', ');
  return `${parts.join(': ')}${aside === '' ? '' : ` (${aside})`}`;
}

export const KINDS: Record<string, string> = {
  schedule: 'by its schedule',
  catchup: 'caught up',
  backfill: 'backfilled',
  manual: 'run by hand',
};
