import type { EscapementClient } from '../client/client';
import type { ScheduleSummary } from '../client/description';
import type { Store } from '../store/connection';
import { type RecordedGap, readGaps } from '../store/gaps';
import { type Firing, readFiringsSettled } from '../store/read-firings';
import { rememberZone } from './zones';

/** What a schedule came to: its firings and the gaps between them. */
export type Answer = Firing | RecordedGap;

/** What schedules came to, as it is handed to a test. */
export class Answers {
  /** Firings that the last stretch has returned of the instant at which it ended. */
  #returned = new Set<string>();

  constructor(private readonly store: Store) {}

  /** All of a schedule so far, in the order of time. */
  async ofSchedule(client: EscapementClient, scheduleId: string, schedules: ScheduleSummary[]): Promise<Answer[]> {
    const answers: Answer[] = await readGaps(this.store, scheduleId);
    for await (const firing of client.getHandle(scheduleId).firings()) answers.push(firing);
    const timeOf = (answer: Answer) => ('from' in answer ? answer.from : answer.scheduledTime).getTime();
    answers.sort((one, other) => timeOf(one) - timeOf(other));
    return inTheirZones(answers, schedules);
  }

  /** Firings of a stretch that is over. What the one before has returned of its last instant, this one does not return again. */
  async ofStretch(from: number, to: number, schedules: ScheduleSummary[]): Promise<Firing[]> {
    const settled = await readFiringsSettled(this.store, new Date(from), new Date(to));
    const nameOf = (firing: Firing) =>
      `${firing.claimedAt.getTime()} ${firing.scheduledTime.getTime()} ${firing.scheduleId}`;
    const fresh = settled.filter((firing) => !this.#returned.has(nameOf(firing)));
    this.#returned = new Set(settled.filter((firing) => firing.claimedAt.getTime() === to).map(nameOf));
    return inTheirZones(fresh, schedules);
  }
}

function inTheirZones<Shown extends Answer>(answers: Shown[], schedules: ScheduleSummary[]): Shown[] {
  const zones = new Map(schedules.map(({ scheduleId, spec }) => [scheduleId, spec.timezone]));
  for (const answer of answers) rememberZone(answer, zones.get(answer.scheduleId));
  return answers;
}
