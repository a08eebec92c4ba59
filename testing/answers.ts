import type { EscapementClient } from '../client/client';
import type { ScheduleSummary } from '../client/describe/schedule-description';
import { zoneOf } from '../core/spec-zone';
import type { Store } from '../store/connection';
import { type RecordedGap, readGaps } from '../store/firings/gaps';
import { type Firing, readFiringsSettled } from '../store/reads/read-firings';
import { rememberZone } from './zones';

/** One answer of a schedule: a firing or a gap. */
export type Answer = Firing | RecordedGap;

export class Answers {
  /** Firings that the previous stretch of time has returned, and that were claimed at its last instant. */
  #returned = new Set<string>();

  constructor(private readonly store: Store) {}

  async ofSchedule(client: EscapementClient, scheduleId: string, schedules: ScheduleSummary[]): Promise<Answer[]> {
    const answers: Answer[] = await readGaps(this.store, scheduleId);
    for await (const firing of client.getHandle(scheduleId).firings()) answers.push(firing);
    const timeOf = (answer: Answer) => ('from' in answer ? answer.from : answer.scheduledTime).getTime();
    answers.sort((one, other) => timeOf(one) - timeOf(other));
    return inTheirZones(client, answers, schedules);
  }

  /** Leaves out the firings that the previous stretch has returned for its last instant. */
  async ofStretch(
    client: EscapementClient,
    { from, to }: { from: number; to: number },
    schedules: ScheduleSummary[],
  ): Promise<Firing[]> {
    const settled = await readFiringsSettled(this.store, new Date(from), new Date(to));
    const nameOf = (firing: Firing) =>
      `${firing.claimedAt.getTime()} ${firing.scheduledTime.getTime()} ${firing.workflowId} ${firing.scheduleId}`;
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

/** This also works for a deleted schedule. */
async function lastZone(client: EscapementClient, scheduleId: string): Promise<string> {
  for await (const { spec } of client.getHandle(scheduleId).versions({ pageSize: 2 })) return zoneOf(spec);
  return 'UTC';
}
