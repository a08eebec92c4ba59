import type { EscapementClient } from '../client/client';
import type { ScheduleSummary } from '../client/describe/schedule-description';
import { zoneOf } from '../core/spec-zone';
import type { Store } from '../store/connection';
import { type RecordedGap, readGaps } from '../store/firings/gaps';
import { type Firing, readFiringsSettled } from '../store/reads/read-firings';
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
    return inTheirZones(client, answers, schedules);
  }

  /** Firings of a stretch that is over. What the one before has returned of its last instant, this one does not return again. */
  async ofStretch(
    client: EscapementClient,
    { from, to }: { from: number; to: number },
    schedules: ScheduleSummary[],
  ): Promise<Firing[]> {
    const settled = await readFiringsSettled(this.store, new Date(from), new Date(to));
    const nameOf = (firing: Firing) =>
      `${firing.claimedAt.getTime()} ${firing.scheduledTime.getTime()} ${firing.scheduleId}`;
    const fresh = settled.filter((firing) => !this.#returned.has(nameOf(firing)));
    this.#returned = new Set(settled.filter((firing) => firing.claimedAt.getTime() === to).map(nameOf));
    return inTheirZones(client, fresh, schedules);
  }
}

async function inTheirZones<Shown extends Answer>(
  client: EscapementClient,
  answers: Shown[],
  live: ScheduleSummary[],
): Promise<Shown[]> {
  const zones = new Map(live.map(({ scheduleId, spec }) => [scheduleId, zoneOf(spec)]));
  for (const answer of answers) {
    const { scheduleId } = answer;
    const zone = zones.get(scheduleId) ?? (await lastZone(client, scheduleId));
    zones.set(scheduleId, zone);
    rememberZone(answer, zone);
  }
  return answers;
}

/** Of a schedule that is deleted too. */
async function lastZone(client: EscapementClient, scheduleId: string): Promise<string> {
  for await (const { spec } of client.getHandle(scheduleId).versions({ pageSize: 2 })) return zoneOf(spec);
  return 'UTC';
}
