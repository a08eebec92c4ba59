import type { ComponentChildren } from 'preact';
import type { FiringAnswer, LifeAnswer } from '../../api/types';
import { reasonInWords } from '../../parts/words';
import { durationOf, exactOf } from '../../time/format';
import { useSettings } from '../../time/settings';
import { wordOf } from './firing-tag';

interface Step {
  at: string | undefined;
  what: string;
  more?: ComponentChildren;
  tone?: 'good' | 'bad' | 'open';
}

export function Timeline({ firing, life }: { firing: FiringAnswer; life: LifeAnswer['life'] }) {
  const { zone } = useSettings();
  const steps = stepsOf(firing, life);
  const due = Date.parse(firing.scheduledTime);
  return (
    <ol class="steps">
      {steps.map(({ at, what, more, tone }) => (
        <li key={what} class={tone ?? (at === undefined ? 'open' : undefined)}>
          <div class="strong">{what}</div>
          {at === undefined ? null : (
            <div>
              <time dateTime={at}>{exactOf(at, zone)}</time> <span class="quiet">{distance(Date.parse(at) - due)}</span>
            </div>
          )}
          {more === undefined ? null : <div class="break">{more}</div>}
        </li>
      ))}
    </ol>
  );
}

function distance(milliseconds: number): string {
  if (milliseconds === 0) return '';
  return `${durationOf(milliseconds)} ${milliseconds > 0 ? 'after' : 'before'} its time`;
}

function stepsOf(firing: FiringAnswer, life: LifeAnswer['life']): Step[] {
  const { state, reason, actor, kind, recovery, again, startsAt } = firing;
  const steps: Step[] = [{ at: firing.scheduledTime, what: 'Due' }];
  if (again) {
    steps.push({
      at: again.askedAt,
      what: `Asked to run again by ${again.actor}`,
      more: again.note ?? undefined,
    });
  }
  const asked = actor && kind !== 'schedule' ? `, asked for by ${actor}` : '';
  if (state === 'skipped') {
    steps.push({
      at: firing.claimedAt,
      what: actor && reason === 'excluded' ? `Excluded by ${actor}` : 'Skipped',
      more: reason ? reasonInWords(reason) : undefined,
      tone: 'bad',
    });
    return steps;
  }
  if (state === 'buffered') {
    steps.push({ at: firing.claimedAt, what: `Waits for its turn${asked}` });
    return steps;
  }
  steps.push({ at: firing.claimedAt, what: `Claimed${asked}`, more: 'It is stored, and cannot be lost.' });
  const by = life?.owner ? ` by ${life.ownerHost ?? `trigger ${life.owner.slice(0, 8)}, which is gone`}` : '';
  const calledAgainAt = life?.startAttemptedAt === life?.firstAttemptedAt ? undefined : life?.startAttemptedAt;
  if (life?.firstAttemptedAt) {
    steps.push({ at: life.firstAttemptedAt, what: `Dispatched${calledAgainAt ? '' : by}` });
  }
  if (recovery) {
    const died = recovery.reason === 'trigger_lost';
    const times = recovery.number === 1 ? '' : ` (${recovery.number} times so far)`;
    steps.push({
      at: recovery.recoveredAt,
      what: `Recovered${died ? ' by another trigger' : ''}${times}`,
      more: died ? 'Its trigger had died.' : 'Its start was not recorded in time.',
    });
  }
  if (calledAgainAt) steps.push({ at: calledAgainAt, what: `Start called again${by}` });
  if (firing.startAttempts > 0 || (firing.lastError && state !== 'closed')) {
    const times =
      firing.startAttempts > 0
        ? `Refused by Temporal, ${firing.startAttempts} of 3 times`
        : 'The last call to start it failed';
    steps.push({ at: life?.refusedSince ?? undefined, what: times, more: firing.lastError ?? undefined, tone: 'bad' });
  }
  if (state === 'abandoned') {
    steps.push({ at: undefined, what: 'Abandoned', more: reason ? reasonInWords(reason) : undefined, tone: 'bad' });
    return steps;
  }
  if (firing.linkedAt === null) {
    steps.push({ at: undefined, what: 'Not started yet' });
    return steps;
  }
  steps.push({ at: firing.linkedAt, what: 'Linked: Temporal has its workflow' });
  if (startsAt) steps.push({ at: startsAt, what: 'Begins: it was handed over ahead of time' });
  if (life?.interruptedAt) steps.push({ at: life.interruptedAt, what: `Asked to ${life.interrupt}` });
  if (firing.closedAt === null) {
    steps.push({ at: undefined, what: firing.stalled ? 'Runs, but makes no progress' : 'Runs' });
    return steps;
  }
  const [tone, word] = wordOf(firing);
  steps.push({ at: firing.closedAt, what: `Closed: ${word}`, tone: tone === 'good' || tone === 'bad' ? tone : 'open' });
  return steps;
}
